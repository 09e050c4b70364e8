"""``python -m bayfold``."""

from bayfold.cli import app

if __name__ == "__main__":
    app(prog_name="bayfold")
