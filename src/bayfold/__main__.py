"""``python -m bayfold``."""

from bayfold.cli import app

app(prog_name="bayfold")
