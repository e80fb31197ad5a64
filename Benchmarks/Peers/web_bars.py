"""What bars that glide cost in Chromium: the time of the main thread and the layouts a second, for each way of drawing.

    web_bars.py MODULE BARS SECONDS [WAY…]    MODULE is the file of <headway-bar>, or - without one

Prints a name and a value in each line: `WAY.task`, `.script`, `.layout` and `.style` in milliseconds a second, `.layouts`
a second, and for <headway-bar> what runs by itself, in callbacks of frames and timers a second and in animations, while
it is paused, finished, hidden, on a hidden page, or removed. Exits with 69 where the browser is missing.

The page is served on a port of the loopback interface that the system picks. The browser is driven over HTTP by its own
driver, which hands the commands of its developer tools on.
"""

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = {"task": "TaskDuration", "script": "ScriptDuration", "layout": "LayoutDuration",
         "style": "RecalcStyleDuration"}
REASONS = ["paused", "finished", "hidden", "removed"]


class Site(http.server.BaseHTTPRequestHandler):
    """Serves the page and the element."""

    files = {}

    def do_GET(self):
        kind, body = self.files.get(self.path, (None, b""))
        self.send_response(200 if kind else 404)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser:
    """Chromium, as its driver drives it."""

    def __init__(self, chromium, driver):
        self.driver = subprocess.Popen(
            [driver, "--port=0", "--allowed-ips=127.0.0.1"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            port = re.search(r"successfully on port (\d+)", line)
            if port:
                break
        else:
            raise RuntimeError("the driver of the browser does not start")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.base = f"http://127.0.0.1:{port[1]}"
        arguments = ["--headless=new", "--disable-gpu", "--no-first-run", "--window-size=1000,900",
                     f"--user-data-dir={self.profile.name}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        options = {"binary": chromium, "args": arguments}
        made = self.post("/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options}}})
        self.base += f"/session/{made['sessionId']}"
        self.post("/timeouts", {"script": 600_000})

    def post(self, path, body, method="POST"):
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode() if body is not None else None,
            {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=700) as answer:
            return json.load(answer)["value"]

    def command(self, name, **parameters):
        return self.post("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def run(self, script):
        """Runs the body of an async function in the page."""
        answer = self.command(
            "Runtime.evaluate", expression=f"(async () => {{ {script} }})()", awaitPromise=True,
            returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def metrics(self):
        return {one["name"]: one["value"] for one in self.command("Performance.getMetrics")["metrics"]}

    def close(self):
        try:
            self.post("", None, "DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.profile.cleanup()


def tell(name, value):
    print(name, value, flush=True)


def measure(browser, way, bars, seconds):
    """Measures a way of drawing."""
    browser.run(f"play('{way}', {bars})")
    # By then the first allocation and compilation are done.
    time.sleep(1.5)
    before = browser.metrics()
    time.sleep(seconds)
    after = browser.metrics()
    seconds = after["Timestamp"] - before["Timestamp"]
    browser.run("stop()")
    for name, metric in TIMES.items():
        tell(f"{way}.{name}", 1000 * (after[metric] - before[metric]) / seconds)
    tell(f"{way}.layouts", (after["LayoutCount"] - before["LayoutCount"]) / seconds)


def rest(browser, bars):
    """Counts what our bars do by themselves while they are still."""
    for reason in REASONS:
        still = browser.run(f"return rest('{reason}', {bars})")
        tell(f"{reason}.calls", still["calls"])
        tell(f"{reason}.animations", still["animations"])
    # A minimized window hides its page.
    browser.run(f"play('headway', {bars}); await sleep(1)")
    window = browser.command("Browser.getWindowForTarget")["windowId"]
    browser.command("Browser.setWindowBounds", windowId=window, bounds={"windowState": "minimized"})
    still = browser.run("return document.hidden ? quiet() : null")
    browser.run("stop()")
    if still is not None:
        # The player still reports four times a second, with its own timer.
        tell("page.calls", still["calls"] - still["reports"])
        tell("page.animations", still["animations"])


def main(words):
    """Does what the command line asks for and answers with the exit code."""
    if len(words) < 3:
        print(__doc__, file=sys.stderr)
        return 64
    module, bars, seconds = words[0], int(words[1]), float(words[2])
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        return 69
    with open(os.path.join(HERE, "web_bars.html"), "rb") as page:
        Site.files["/"] = ("text/html; charset=utf-8", page.read())
    if module != "-":
        with open(module, "rb") as code:
            Site.files["/headway-bar.js"] = ("text/javascript; charset=utf-8", code.read())
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    browser = Browser(chromium, driver)
    try:
        browser.post("/url", {"url": f"http://127.0.0.1:{site.server_port}/"})
        browser.command("Performance.enable", timeDomain="threadTicks")
        isReady = browser.run("return ready")
        if module != "-" and isReady is not True:
            raise RuntimeError(f"the element is not loaded: {isReady}")
        for way in words[3:] or ["idle", "width", "transform", "progress", "range", "animation"]:
            measure(browser, way, bars, seconds)
        if module != "-":
            measure(browser, "headway", bars, seconds)
            rest(browser, bars)
    finally:
        browser.close()
        site.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
