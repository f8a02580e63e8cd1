"""Compares a page that counts with the program: test.py PAGE PROGRAM [--pictures FOLDER].

Every file of datasets/ is asked everything that fits its kind, by node and by the program, and exact answers have to be the
same to the last digit, samples the same samples in one order of the vertices. Logarithms are another library's, so
that rounded numbers agree to 12 digits, and what is searched for with their help, an order, may be another. Then Chromium, by
Playwright, opens the page as a person would: files, a drawing, a stop.
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).parent
DATASETS = HERE.parent.parent / "datasets"
OF_GRAPHS = [["count", "--matchings", kind] for kind in ("maximum", "all", "by-size", "saturating")] + [
    ["count", "--verify"], ["marginals"], ["marginals", "--matchings", "all"], ["sample", "--samples", "5"],
    ["sample", "--matchings", "all"], ["decompose"], ["parity"], ["estimate", "--samples", "500", "--seed", "3"], ["plan"]]
# Tells of the machine or the run, and not of the graph.
OF_THE_RUN = {"time_s", "peak_memory_bytes", "threads", "instruction_set", "file", "device", "seconds", "bytes", "name", "method",
              "machine", "blocks", "detail"}


def answers(command):
    """Returns exit status, values that are not the run's own, and how many digits are among them."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    def kept(value):
        if isinstance(value, dict):
            return {key: kept(entry) for key, entry in value.items() if key not in OF_THE_RUN}
        return [kept(entry) for entry in value] if isinstance(value, list) else value

    found = [kept(json.loads(line)) for line in done.stdout.splitlines()]
    for one in found:
        if "error" in one:
            one["error"] = one["error"]["kind"]
    digits = sum(character.isdigit() for line in found for character in json.dumps(line.get("result", line)))
    return done.returncode, found, digits


def agree(got, expected, close):
    """Says whether two answers are the same; of an estimate, and of numbers that are rounded, to 12 digits."""
    if isinstance(expected, dict):
        return got.keys() == expected.keys() and all(agree(got[key], expected[key], close) for key in expected)
    if isinstance(expected, list):
        return len(got) == len(expected) and all(map(agree, got, expected, [close] * len(got)))
    if got == expected or not (isinstance(expected, float) or close):
        return got == expected
    return math.isclose(float(got), float(expected), rel_tol=1e-12)


def compare(page, program, folder):
    runs = digits = 0
    wrong = []
    for row in csv.DictReader((DATASETS / "known.tsv").open(), delimiter="\t"):
        questions = [[row["command"]]] + (OF_GRAPHS if row["command"] == "count" else [])
        for command, *options in questions:
            args = [command, str(DATASETS / row["file"]), "--kind", row["kind"], "--json", *options]
            args += [] if command == "plan" else ["--threads", "1"]
            if command == "sample" and "--matchings" in options:
                order = f"{folder}/{row['file']}.order"
                count = [program, "count", *args[1:4], "--matchings", "all", "--write-order", order]
                subprocess.run(count, check=True, capture_output=True)
                args += ["--order", order, "--method", "frontier"]
            expected = answers([program, *args])
            got = answers(["node", str(HERE / "run.mjs"), page, *args])
            runs, digits = runs + 1, digits + expected[2]
            if got[0] != expected[0] or not agree(got[1], expected[1], command == "estimate") and command != "plan":
                wrong.append(f"{' '.join(args)}:\n  {got}\n  {expected}")
    print(f"{runs} runs, {digits} digits compared, {len(wrong)} answers that differ")
    print("\n".join(wrong)[:20000])
    return not wrong


def browse(address, program, folder):
    def shoot(page, name):
        if folder:
            page.screenshot(path=f"{folder}/{name}.png")

    def expect(page, answer):
        page.wait_for_function("document.getElementById('state').textContent.startsWith('Done')", timeout=60000)
        assert page.inner_text("#answer") == answer, page.inner_text("#answer")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.on("pageerror", lambda error: print("the page:", error))
        page.goto(address)
        page.wait_for_function("document.getElementById('state').textContent.startsWith('Ready')", timeout=60000)
        print(page.inner_text("#state"))
        for row in csv.DictReader((DATASETS / "known.tsv").open(), delimiter="\t"):
            page.set_input_files("#file", DATASETS / row["file"])
            page.fill("#arguments", f"{row['command']} FILE --kind {row['kind']}")
            page.click("#line button")
            asked = [program, row["command"], str(DATASETS / row["file"]), "--kind", row["kind"]]
            expect(page, subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
        page.set_input_files("#file", DATASETS / "c60.txt")
        page.select_option("#kind", "undirected")
        page.click("text=Probabilities")
        page.wait_for_selector("#picture img")
        shoot(page, "probabilities")

        page.click("#as-drawing")
        box = page.locator("#sheet").bounding_box()
        tap = lambda x, y: page.mouse.click(box["x"] + x * box["width"] / 600, box["y"] + y * box["height"] / 400)
        corners = [(200, 100), (400, 100), (400, 300), (200, 300)]
        for corner in corners:
            tap(*corner)
        for v in range(4):
            tap(*corners[v])
            tap(*corners[(v + 1) % 4])
        page.wait_for_timeout(300)
        expect(page, "2")
        page.click("text=A random one")
        page.wait_for_selector("#picture img")
        shoot(page, "drawing")

        page.click("#as-text")
        page.select_option("#example", "grid 8 8")
        expect(page, "12988816")
        page.fill("#arguments", "generate grid3d 8 8 8")
        page.click("#line button")
        page.wait_for_function("document.getElementById('state').textContent.startsWith('Done')")
        page.fill("#text", page.inner_text("#answer"))
        page.fill("#arguments", "estimate FILE --samples 1000000000")
        page.click("#line button")
        page.wait_for_timeout(1500)
        page.click("#stop")
        assert page.inner_text("#state") == "Stopped"

        phone = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True, device_scale_factor=2)
        phone.goto(address)
        phone.select_option("#example", "aztec 10")
        expect(phone, "36028797018963968")
        shoot(phone, "phone-count")
        phone.tap("text=A random one")
        phone.wait_for_selector("#picture img")
        phone.locator("#picture").scroll_into_view_if_needed()
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        shoot(phone, "phone-sample")
        browser.close()
    print("Chromium gives every known answer, and stops")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page")
    parser.add_argument("program")
    parser.add_argument("--pictures")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        same = compare(given.page, given.program, folder)
    browse(pathlib.Path(given.page).resolve().as_uri(), given.program, given.pictures)
    raise SystemExit(not same)
