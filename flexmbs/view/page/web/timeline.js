// The time line: play, scrub, speed. ui.frame is the present (fractional) frame. The speed is "film" (slow at impacts)
// or a part of real time; the slider shows times of the film or of the run accordingly. Modes of a body are segments of
// the time, of which one is played.
flexmbs.timeline = (ui) => {
  const { make, button, indexAt, between, number, withPrefix } = flexmbs.tools,
    { time } = ui;
  const speedText = (speed) =>
    speed > 0.99 ? `${number(speed, 2)} × real time` : `1/${number(1 / speed, 2)} of real time`;
  let speed = String(time.phase ? "film" : (ui.scene.view.speed ?? "film")),
    before,
    first = 0,
    last = time.t.length - 1;
  const instants = [...time.impacts, ...(time.events ?? [])];
  ui.frame = time.opens ?? 0;

  const axis = () => (speed === "film" ? time.film : time.t);
  const share = (frame) => (between(axis(), frame) - axis()[first]) / (axis()[last] - axis()[first] || 1);
  const phase = () => `phase ${Math.round(360 * share(ui.frame))}°`;
  const goTo = (frame) => {
    ui.frame = Math.max(first, Math.min(frame, last));
    ui.ask();
  };
  const seek = (t) => goTo(indexAt(time.t, t));
  const place = () =>
    instants.forEach(({ t }, i) => (marks.children[i].style.left = `${100 * share(indexAt(time.t, t))}%`));

  const slider = make("input", { type: "range", min: 0, max: 1, step: "any", ariaLabel: "Time" });
  slider.oninput = () => {
    play(false);
    goTo(indexAt(axis(), axis()[first] + slider.value * (axis()[last] - axis()[first])));
  };
  const mark = (t, title, className = "impact") => make("i", { title, className, onclick: () => seek(t) });
  const marks = make(
    "div",
    { className: "marks" },
    ...time.impacts.map(({ t, name, force }) =>
      mark(t, `${name}: ${withPrefix(force, "N")} at ${t.toFixed(time.digits)} s`),
    ),
    ...(time.events ?? []).map(({ t, name, what }) => mark(t, `${name}: ${what} at ${t.toFixed(time.digits)} s`, "event")),
  );
  const speeds = make(
    "select",
    { title: "Speed: of the film (slow at impacts), or fixed", hidden: time.phase },
    new Option("film"),
    ...[...new Set([10, 1, 0.1, 0.01, 0.001, 1e-4, ...(speed > 0 ? [+speed] : [])])].map(
      (s) => new Option(speedText(s), s),
    ),
  );
  speeds.value = speed;
  speeds.onchange = () => {
    speed = speeds.value;
    place();
    ui.ask();
  };
  const modes =
    time.segments && make("select", { title: "Mode" }, ...time.segments.map(({ name }, i) => new Option(name, i)));
  const choose = (i) => {
    const segment = (ui.segment = time.segments[Math.max(0, Math.min(i, time.segments.length - 1))]);
    ({ first, last } = segment);
    modes.value = time.segments.indexOf(segment);
    goTo(first + (last - first) / 4); // where it is largest
    ui.setLimits();
  };
  if (modes) modes.onchange = () => choose(+modes.value);
  const loop = button(
    "Repeat (l)",
    "M11 2l2.5 2.5L11 7M13.5 4.5H5A2.5 2.5 0 0 0 2.5 7M5 14l-2.5-2.5L5 9M2.5 11.5H11A2.5 2.5 0 0 0 13.5 9",
    () => (loop.ariaPressed = loop.ariaPressed !== "true"),
  );
  loop.ariaPressed = true;
  const player = button("Play (space)", "", () => play(!ui.playing));
  const clock = make("output"),
    rate = make("output", { className: "rate" });

  const play = (on) => {
    if (on && ui.frame >= last) ui.frame = first;
    ui.playing = on;
    before = undefined;
    player.querySelector("path").setAttribute("d", on ? "M5 3v10M11 3v10" : "M4 2.5l9.5 5.5L4 13.5z");
    player.title = on ? "Pause (space)" : "Play (space)";
    ui.ask();
  };
  const advance = (now) => {
    const elapsed = Math.min((now - (before ?? now)) / 1000, 0.5),
      ends = [axis()[first], axis()[last]];
    before = now;
    let x = between(axis(), ui.frame) + elapsed * (speed === "film" ? 1 : speed);
    if (x >= ends[1] && loop.ariaPressed === "true") x = ends[0] + ((x - ends[0]) % (ends[1] - ends[0]));
    ui.frame = indexAt(axis(), x);
    if (x >= ends[1]) play(false);
  };
  const draw = () => {
    const i = Math.min(Math.floor(ui.frame), last - 1),
      slope = (time.t[i + 1] - time.t[i]) / (time.film[i + 1] - time.film[i]);
    clock.textContent = time.phase ? phase() : ui.timeText();
    slider.value = share(ui.frame);
    slider.setAttribute("aria-valuetext", ui.timeText());
    rate.textContent = speed === "film" && !time.phase && isFinite(slope) ? speedText(slope) : "";
  };
  const toImpact = (sign) => {
    const now = between(time.t, ui.frame),
      far = instants.filter(({ t }) => sign * (t - now) > 1e-9 * time.t.at(-1));
    if (far.length) seek(sign * Math.min(...far.map(({ t }) => sign * t)));
  };
  place();
  ui.keys.push(
    ["Space", "play, pause", [" "], () => play(!ui.playing)],
    [
      "← →",
      "a frame back, on (with Shift: ten)",
      ["ArrowLeft", "ArrowRight"],
      (i, event) => {
        play(false);
        goTo(Math.round(ui.frame) + (2 * i - 1) * (event.shiftKey ? 10 : 1));
      },
    ],
    [
      ", .",
      `${modes ? "mode" : "impact or event"} before, after`,
      [",", "."],
      (i) => (modes ? choose(+modes.value + 2 * i - 1) : toImpact(2 * i - 1)),
    ],
    ["l", "repeat", ["l"], () => loop.click()],
  );
  const element = make(
    "div",
    { className: "timeline" },
    player,
    make("div", { className: "track" }, marks, slider),
    clock,
    rate,
    modes,
    speeds,
    loop,
  );
  return { element, seek, goTo, play, advance, draw, choose, phase };
};
