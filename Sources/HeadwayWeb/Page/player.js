// Connects a video and a bar: the bar follows the video, and the video goes where a person drags the bar.

import "./headway-bar.js";

/// How far ahead the report of a start is, in seconds: less than any frame.
const startTime = 0.01;

/// Lets a bar show and control a video.
///
/// Returns a function that disconnects them, which also happens when the bar is no longer in the document.
export function connect(video, bar) {
  const connection = new AbortController();
  const { signal } = connection;
  // The video does not move the bar any more, which then stops.
  signal.addEventListener("abort", () => bar.stall());
  const disconnect = () => connection.abort();
  let wasInDocument = bar.isConnected;
  const listen = (names, action) => {
    const listener = () => {
      if (wasInDocument && !bar.isConnected) return disconnect();
      wasInDocument = bar.isConnected;
      action();
    };
    for (const name of names.split(" ")) video.addEventListener(name, listener, { signal });
  };
  bar.setAttribute("units-per-second", "1");
  const updateRate = () => { bar.playbackRate = video.playbackRate; };
  updateRate();
  if (video.paused) bar.pause();
  const updateRange = () => {
    const { duration, seekable } = video;
    if (Number.isFinite(duration)) {
      bar.max = duration;
    } else if (seekable.length > 0) {
      // A live stream has no end, and may lose its beginning.
      bar.min = seekable.start(0);
      bar.max = seekable.end(seekable.length - 1);
    }
  };
  updateRange();
  listen("loadedmetadata durationchange progress timeupdate", updateRange);
  const show = () => bar.setValue(video.currentTime);
  const report = () => bar.report(video.currentTime);
  // The same value as before would mean that the video hangs, so the report of a start is of where it will be at once.
  const start = () => {
    bar.resume();
    bar.report(video.currentTime + startTime * video.playbackRate, { duration: startTime });
  };
  if (video.readyState > 0) show();
  if (!video.paused && video.readyState >= 3) start();
  listen("timeupdate", report);
  listen("playing", start);
  // The last reports come too late to be glided to.
  listen("pause ended", () => {
    bar.pause();
    show();
  });
  // The picture stands still at once, and so does the bar.
  listen("waiting", show);
  listen("seeking", () => bar.seek(video.currentTime));
  listen("ratechange", () => {
    updateRate();
    report();
  });
  const updateBuffered = () => { bar.buffered = video.buffered; };
  updateBuffered();
  listen("progress loadeddata", updateBuffered);
  bar.addEventListener("change", (event) => { video.currentTime = event.detail.value; }, { signal });
  return disconnect;
}
