// Connects a video and a bar: the bar follows the video, and the video goes where a person drags the bar.

import "./headway-bar.js";

/// Lets a bar show and control a video.
export function connect(video, bar) {
  const listen = (names, action) => {
    for (const name of names.split(" ")) video.addEventListener(name, action);
  };
  bar.setAttribute("units-per-second", "1");
  if (video.paused) bar.pause();
  const updateDuration = () => { if (Number.isFinite(video.duration)) bar.max = video.duration; };
  updateDuration();
  listen("loadedmetadata durationchange", updateDuration);
  listen("timeupdate", () => bar.report(video.currentTime));
  listen("playing", () => bar.resume());
  listen("pause ended", () => bar.pause());
  listen("waiting", () => bar.stall());
  listen("seeking", () => bar.seek(video.currentTime));
  const updateRate = () => { bar.playbackRate = video.playbackRate; };
  updateRate();
  listen("ratechange", updateRate);
  const updateBuffered = () => { bar.buffered = video.buffered; };
  updateBuffered();
  listen("progress loadeddata", updateBuffered);
  bar.addEventListener("change", (event) => { video.currentTime = event.detail.value; });
}
