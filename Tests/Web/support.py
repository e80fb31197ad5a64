"""A browser, a server on this machine, and pages with bars, for the tests beside this file."""

import functools
import http.server
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import unittest

from selenium import webdriver
from selenium.common.exceptions import SessionNotCreatedException
from selenium.webdriver.chrome.service import Service

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "Sources/HeadwayWeb/Page"
BUILT = pathlib.Path(os.environ.get("HEADWAY_WEB", ROOT / ".build/web"))
OFFSET = pathlib.Path(os.environ.get("HEADWAY_WEB_OFFSET", ROOT / ".build/web-offset"))
CASES = json.loads((ROOT / "Tests/BarCases/cases.json").read_text())

# How long anything may take before a test gives up, in seconds: never how long it waits for something to be over.
PATIENCE = 120

TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".webm": "video/webm"}


class Site:
    """The files of the server, some of them written by the tests."""

    def __init__(self):
        self.pages = {}
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="headway-web-"))

    def read(self, path):
        """The bytes of a path, or None."""
        if path in self.pages:
            return self.pages[path].encode()
        name = path.rsplit("/", 1)[-1]
        places = {"headway-bar.js": BUILT, "offset.js": OFFSET, "clip.webm": self.scratch}
        folder = places.get(name, PAGES)
        file = folder / ("headway-bar.js" if name == "offset.js" else name)
        return file.read_bytes() if file.is_file() else None

    def make_clip(self):
        """A video of 12 seconds, made by ffmpeg."""
        if not (self.scratch / "clip.webm").exists():
            subprocess.run(
                ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=12",
                 "-c:v", "libvpx", "-b:v", "300k", "-g", "25", "-deadline", "realtime",
                 "-cpu-used", "8", str(self.scratch / "clip.webm")],
                check=True, timeout=PATIENCE)

    def close(self):
        shutil.rmtree(self.scratch)


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves the files of a site, in ranges if a player asks for them."""

    protocol_version = "HTTP/1.1"

    def __init__(self, site, *arguments):
        self.site = site
        super().__init__(*arguments)

    def log_message(self, *_):
        pass

    def do_GET(self):
        body = self.site.read(self.path.split("?")[0])
        if body is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        wanted = self.headers.get("Range")
        total, first = len(body), 0
        if wanted:
            low, high = wanted.removeprefix("bytes=").split("-")
            first = int(low)
            body = body[first:int(high) + 1 if high else None]
        self.send_response(206 if wanted else 200)
        suffix = "." + self.path.split("?")[0].rsplit(".", 1)[-1]
        self.send_header("Content-Type", TYPES.get(suffix, "text/html; charset=utf-8"))
        self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{first + len(body) - 1}/{total}")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass


class BarTest(unittest.TestCase):
    """Tests that share one browser."""

    driver = None
    attempts = 0

    @classmethod
    def setUpClass(cls):
        if BarTest.driver is None:
            BarTest.start()

    @staticmethod
    def start():
        BarTest.site = Site()
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, BarTest.site))
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        BarTest.server = server
        BarTest.address = f"http://127.0.0.1:{server.server_port}"
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu",
                         "--disable-dev-shm-usage", "--window-size=900,700",
                         "--autoplay-policy=no-user-gesture-required"]:
            options.add_argument(argument)
        driver = None
        while driver is None:
            # A browser that starts beside many other programs may give up at once; the next one does not.
            try:
                driver = webdriver.Chrome(
                    options=options, service=Service(shutil.which("chromedriver")))
            except SessionNotCreatedException:
                BarTest.attempts += 1
                if BarTest.attempts == 3:
                    raise
        driver.set_script_timeout(PATIENCE)
        driver.set_page_load_timeout(PATIENCE)
        BarTest.driver = driver

    @staticmethod
    def stop():
        """Ends the browser and the server."""
        if BarTest.driver:
            BarTest.driver.quit()
            BarTest.server.shutdown()
            BarTest.site.close()
            BarTest.driver = None

    def tearDown(self):
        self.command("Emulation.clearDeviceMetricsOverride")
        self.command("Emulation.setEmulatedMedia", features=[], media="")
        self.command("Emulation.setTouchEmulationEnabled", enabled=False)

    # Pages

    def page(self, body, script="/headway-bar.js", style=""):
        """Opens a page with bars and waits until they are drawn."""
        self.site.pages["/page.html"] = f"""<!doctype html><meta charset="utf-8">
<link rel="icon" href="data:,">
<style>body {{ margin: 40px; }} headway-bar {{ display: block; width: 200px; }} {style}</style>
{body}
<script type="module">
  import {{ HeadwayBar }} from "{script}";
  window.HeadwayBar = HeadwayBar;
  window.frames2 = () => new Promise((done) =>
    requestAnimationFrame(() => requestAnimationFrame(done)));
  window.boxes = (bar) => {{
    const home = bar.getBoundingClientRect();
    return Array.from(bar.shadowRoot.querySelectorAll(".shape"), (node) => {{
      const box = node.getBoundingClientRect();
      return [node.part.value, box.x - home.x, box.y - home.y, box.width, box.height];
    }});
  }};
  window.isReady = true;
</script>"""
        self.driver.get(f"{self.address}/page.html")
        self.wait("window.isReady")
        self.run_async("await frames2()")

    def run_script(self, script, *arguments):
        """Runs a script in the page."""
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """Runs an asynchronous script and returns its result."""
        result = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const args = arguments;"
            f"(async () => {{ {script} }})().then((value) => done([true, value]),"
            " (error) => done([false, `${error}\\n${error.stack}`]));", *arguments)
        if not result[0]:
            self.fail(result[1])
        return result[1]

    def wait(self, condition):
        """Waits until a condition holds in the page."""
        self.driver.execute_async_script(
            "const done = arguments[0]; const look = () => "
            f"{{ if ({condition}) done(); else setTimeout(look, 5); }}; look();")

    def command(self, name, **arguments):
        """Sends a command to the browser."""
        return self.driver.execute_cdp_cmd(name, arguments)

    # Hands

    def mouse(self, kind, x, y, button="left", buttons=1, **more):
        """Moves or presses the mouse."""
        self.command(
            "Input.dispatchMouseEvent", type=f"mouse{kind}", x=x, y=y, button=button,
            buttons=buttons, clickCount=0 if kind in ("Moved", "Wheel") else 1, **more)

    def touch(self, kind, *points):
        """Touches the page."""
        self.command(
            "Input.dispatchTouchEvent", type=f"touch{kind}",
            touchPoints=[{"x": x, "y": y, "id": index} for index, (x, y) in enumerate(points)])

    def key(self, key, code=0):
        """Presses and releases a key."""
        for kind in ("keyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                         windowsVirtualKeyCode=code)

    def place(self, selector="headway-bar"):
        """The position of a bar in the window."""
        return self.run_script(
            "const b = document.querySelector(arguments[0]).getBoundingClientRect();"
            "return {x: b.x, y: b.y, width: b.width, height: b.height}", selector)
