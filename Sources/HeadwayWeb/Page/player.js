// A video and a bar: what a player says goes to the bar, what a person chooses goes to the player.

import "./headway-bar.js";

/// Lets a bar show and steer a video.
export function connect(video, bar) {
  const listen = (names, action) => {
    for (const name of names.split(" ")) video.addEventListener(name, action);
  };
  bar.setAttribute("units-per-second", "1");
  if (video.paused) bar.pause();
  const total = () => { if (Number.isFinite(video.duration)) bar.max = video.duration; };
  total();
  listen("loadedmetadata durationchange", total);
  listen("timeupdate", () => bar.report(video.currentTime));
  listen("playing", () => bar.resume());
  listen("pause ended", () => bar.pause());
  listen("waiting", () => bar.stall());
  listen("seeking", () => bar.seek(video.currentTime));
  const speed = () => { bar.playbackRate = video.playbackRate; };
  speed();
  listen("ratechange", speed);
  const loaded = () => { bar.buffered = video.buffered; };
  loaded();
  listen("progress loadeddata", loaded);
  bar.addEventListener("change", (event) => { video.currentTime = event.detail.value; });
}
