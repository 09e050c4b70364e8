"""Models that run elsewhere: SQL, JSON with a scorer in JavaScript, ONNX and scorecards, all from one plain form."""

from pathlib import Path


def scorer_path() -> Path:
    """Where the scorer in JavaScript is, which reads what ``to_json`` writes."""
    return Path(__file__).with_name("scorer.js")
