"""Take the pictures of pages in the documentation, in a real browser: Chromium with its driver, and selenium.

python -m docs.make_screenshots
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from selenium import webdriver

from bayfold import BoostedNaiveBayesClassifier, report
from bayfold.datasets import make_credit

IMAGES = Path(__file__).parent / "images"
WIDTH, HEIGHT = 1100, 2000
"""Pixels: a page as wide as its text asks for, down to the first columns."""


def open_browser() -> webdriver.Chrome:
    """Chromium without a window."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for option in ("headless", "no-sandbox", "disable-gpu", "hide-scrollbars"):
        options.add_argument(f"--{option}")
    options.add_argument(f"--window-size={WIDTH},{HEIGHT}")
    return webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))


def main() -> None:
    """A report, from what the model is worth on."""
    credit = make_credit(5000, random_state=0)
    model = BoostedNaiveBayesClassifier(random_state=0).fit(credit.frame, credit.target)
    browser = open_browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "report.html")
            report.write(model, credit.frame, credit.target, page, target="outcome")
            browser.get(page.as_uri())
            browser.execute_script("document.getElementById('quality').scrollIntoView()")
            browser.save_screenshot(str(IMAGES / "report.png"))
    finally:
        browser.quit()


if __name__ == "__main__":
    main()
