// flexmbs.start(div): decodes the scene in the div, and builds its user interface there. Frames are drawn only when
// something has changed: a scene at rest takes no time.
flexmbs.start = async (div) => {
  const entry = {}, message = flexmbs.tools.make("p", { className: "opening" }, "Opening …");
  (flexmbs.scenes ??= []).push(entry);
  div.append(message);
  try {
    entry.scene = await flexmbs.decode(div);
    entry.ui = flexmbs.interface(div, entry.scene);
    entry.renderer = entry.ui.renderer;
    message.remove();
  } catch (error) {
    console.error(error);
    message.role = "alert";
    message.textContent = `This scene cannot be shown: ${error.message}`;
  }
};

flexmbs.interface = (div, scene) => {
  const { make, button, gestures, fitted, between, save } = flexmbs.tools, { time, view } = scene;
  const canvas = make("canvas", { className: "picture", role: "img", ariaLabel: `${scene.title}, in three dimensions` });
  const over = make("canvas", { className: "over" }), printed = make("canvas", { className: "print" });
  const message = make("p", { className: "message", role: "status", hidden: true }), help = make("dialog");
  const stage = make("div", { className: "stage" }, canvas, over, printed, message);
  const ui = { div, scene, time, frame: 0, playing: false, probes: [], histories: [...scene.histories], typed: {}, range: "run", keys: [] };
  let asked, resized, inView = true, saying, tapping, renderer;

  const say = (words, stays) => {
    clearTimeout(saying);
    Object.assign(message, { textContent: words, hidden: false });
    if (!stays) saying = setTimeout(() => (message.hidden = true), 4000);
  };
  try {
    ui.renderer = renderer = new flexmbs.Renderer(canvas, scene);
  } catch (error) {
    say(`The scene cannot be drawn: ${error.message}`, true);
  }
  const state = (ui.state = renderer?.state ?? {}), camera = renderer?.camera;

  // ---------- drawing

  const ask = () => (asked ??= requestAnimationFrame(tick));
  const tick = (now) => {
    asked = null;
    if (!inView) return;
    try {
      if (resized) renderer?.resize(), ui.plots?.draw();
      resized = false;
      if (ui.playing) ui.line.advance(now);
      draw();
    } catch (error) {
      console.error(error);
      ui.playing = false;
      say(`Something went wrong: ${error.message}`, true);
    }
    if (ui.playing) ask();
  };
  const draw = () => {
    if (time) {
      ui.line.draw();
      ui.plots.cursor(between(time.t, ui.frame));
    }
    if (!renderer) return;
    state.frame = ui.frame;
    if (ui.range === "time") setLimits();
    renderer.draw();
    const { c, width, height } = fitted(over);
    flexmbs.overlay(ui, c, width, height);
    if (!ui.panel.hidden) ui.probing.draw();
  };
  const timeText = () => {
    if (!time) return "";
    const t = between(time.t, ui.frame);
    return time.phase ? `phase ${Math.round((360 * t) / time.t.at(-1))}°` : `${t.toFixed(time.digits)} s`;
  };

  // ---------- what is shown

  const quantity = () => scene.quantities.find(({ key }) => key === state.quantity) ?? { key: "body", factor: 1, low: 0, high: 1 };
  const setLimits = () => {
    const { low, high, ofFrame } = quantity(), given = ui.range === "typed" ? ui.typed : {};
    const limits = ui.range === "time" && ofFrame ? [0, 1].map((end) => between(ofFrame, ui.frame, 2, end)) : [low, high];
    Object.assign(state, { low: given.low ?? limits[0], high: given.high ?? limits[1] });
    ui.coloursChanged();
  };
  const colour = (key, range) => {
    if (key !== state.quantity) ui.typed = {};
    Object.assign(state, { quantity: key });
    ui.range = range;
    setLimits();
    ask();
  };
  const setTheme = (dark) => {
    div.dataset.theme = dark ? "dark" : "light";
    state.dark = dark;
    ui.plots?.draw();
    ask();
  };
  const look = (from) => {
    if (from) camera?.look(from);
    else camera?.fit();
    ask();
  };
  const plot = (histories, shown) => {
    for (const history of histories) history.shown = shown;
    ui.plots?.show(ui.histories.filter((history) => history.shown));
    ui.historiesChanged?.();
    ask();
  };

  // ---------- pictures

  // The scene with legends, title and time, twice as fine as on the screen.
  const picture = (target = make("canvas")) => {
    const { clientWidth: width, clientHeight: height } = canvas, c = target.getContext("2d");
    renderer.resize(2 * devicePixelRatio);
    renderer.draw();
    Object.assign(target, { width: canvas.width, height: canvas.height });
    c.drawImage(canvas, 0, 0);
    renderer.resize();
    draw();
    c.scale(target.width / width, target.height / height);
    flexmbs.overlay(ui, c, width, height, true);
    return target;
  };
  const savePicture = () => renderer && picture().toBlob((blob) => save(`${scene.title} ${timeText()}.png`, blob));
  const printing = (begins) => {
    if (begins) ui.wasDark = state.dark;
    ui.plots?.print(begins);
    setTheme(!begins && ui.wasDark);
    if (begins && renderer) picture(printed);
  };

  // ---------- elements

  const fullScreen = () => (document.fullscreenElement ? document.exitFullscreen() : div.requestFullscreen());
  const togglePanel = () => {
    ui.panel.hidden = !ui.panel.hidden;
    ask();
  };
  const showHelp = () => {
    const rows = [...ui.keys, ["drag", "turn; with Shift or the right button: move"], ["wheel, pinch", "zoom"],
      ["click, tap", "read the values of a node; again: remove"], ["double click", "fit the picture"],
      ["in a plot", "click: set the time; wheel, pinch: zoom; Shift and drag: move; double click: all"]];
    help.replaceChildren(make("h2", {}, "Keys and gestures"),
      make("dl", {}, ...rows.flatMap(([keys, text]) => [make("dt", {}, keys), make("dd", {}, text)])),
      make("button", { onclick: () => help.close() }, "Close"));
    help.showModal();
  };
  Object.assign(ui, { ask, say, timeText, quantity, colour, look, plot, wheels, draw, setTheme, picture });
  const { quantity: first, edges, markers } = view;
  Object.assign(state, { quantity: first ?? "body", edges: !!edges });
  if (renderer) {
    state.glyphs.marks = !!markers;
    scene.parts.forEach((part, i) => part.shown === false && state.hidden.add(i));
    ui.probing = flexmbs.probes(ui);
  }
  if (time) {
    ui.line = flexmbs.timeline(ui);
    ui.seek = ui.line.seek;
    ui.plots = flexmbs.plots(ui);
  }
  ui.panel = flexmbs.panel(ui);
  ui.panel.hidden = div.clientWidth < 900;
  div.tabIndex = 0;
  div.append(make("div", { className: "app" }, make("header", { className: "top" },
    make("div", { title: `${scene.title}\n${scene.subtitle}` }, make("h2", {}, scene.title), make("p", {}, scene.subtitle)),
    button("Fit the picture (f)", "M2 5.5V2h3.5M10.5 2H14v3.5M14 10.5V14h-3.5M5.5 14H2v-3.5M5.5 5.5h5v5h-5z", () => look()),
    button("Save the picture (PNG)", "M2 4.5h3l1-2h4l1 2h3v9H2zM8 6.2a2.4 2.4 0 1 0 .1 0z", savePicture),
    button("Light or dark (d)", "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12", () => setTheme(!state.dark)),
    document.fullscreenEnabled && button("Full screen", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4", fullScreen),
    button("Help (?)", "M5.6 6a2.4 2.4 0 1 1 3.6 2C8.3 8.6 8 9 8 10M8 12.5v.6", showHelp),
    button("Settings (s)", "M2 4h5m4 0h3M2 12h2m4 0h6M9 2.5v3M6 10.5v3", togglePanel)),
    stage, ui.panel, time && ui.line.element, time && ui.plots.element, help));

  // ---------- keys, pointers, surroundings

  if (camera) {
    ui.keys.push(["+ −", "zoom in, out", ["+", "=", "-"], (i) => (camera.zoom(i > 1 ? 0.8 : 1.25), ask())],
      ["1 … 6", "look from x, −x, y, −y, z, −z", [..."123456"], (i) => look(["x", "-x", "y", "-y", "z", "-z"][i])],
      ["0", "look from a corner", ["0"], () => look("iso")], ["f", "fit the picture", ["f"], () => look()],
      ["e", "edges of elements", ["e"], () => ui.edges.click()]);
    gestures(canvas, {
      drag: (dx, dy, event) => (camera[event.shiftKey || event.buttons & 6 ? "pan" : "orbit"](dx, dy), ask()),
      pinch: (factor, x, y, dx, dy) => (camera.zoom(factor, x, y), camera.pan(dx, dy), ask()),
      wheel: (event, factor) => wheels(event) && (camera.zoom(factor, event.offsetX, event.offsetY), ask()),
      tap: (x, y) => {
        clearTimeout(tapping);
        if (tapping) return look((tapping = null)); // the second of two
        tapping = setTimeout(() => {
          tapping = null;
          for (const [dx, dy] of [[0, 0], [6, 0], [-6, 0], [0, 6], [0, -6]]) {
            const hit = renderer.pick(x + dx, y + dy); // thin parts are hard to hit
            if (hit) return ui.probing.toggle(hit.part, hit.point);
          }
        }, 250);
      },
    });
    canvas.oncontextmenu = (event) => event.preventDefault();
    canvas.addEventListener("webglcontextlost", () => say("The browser took the graphics memory away: load the page again.", true));
  }
  ui.keys.push(["s", "settings", ["s"], togglePanel], ["d", "light, dark", ["d"], () => setTheme(!state.dark)], ["?", "help", ["?"], showHelp]);

  const fills = () => div.clientHeight > 0.8 * innerHeight;
  // The wheel is for the page unless the scene fills it or is used.
  function wheels(event) {
    const takes = (fills() && window === top) || event.ctrlKey || div.contains(document.activeElement);
    if (takes) event.preventDefault();
    return takes;
  }
  const own = { input: /Arrow|[ \d+.,-]/, select: /./, button: / |Enter/, summary: / |Enter/ }; // keys that elements need
  document.addEventListener("keydown", (event) => {
    const { target, key } = event, mine = div.contains(target) || (target === document.body && (fills() || div.matches(":hover")));
    if (!mine || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (target.type === "search" || (target.localName in own && target.ariaLabel !== "Time" && own[target.localName].test(key))) return;
    const found = ui.keys.find(([, , keys]) => keys.includes(key));
    if (!found) return;
    event.preventDefault();
    found[3](found[2].indexOf(key), event);
  });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.onchange = () => setTheme(dark.matches);
  setTheme(view.theme ? view.theme === "dark" : dark.matches);
  if (renderer) colour(state.quantity, "run");
  plot([], true);
  ui.line?.play(!!time.phase && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  new ResizeObserver(() => (resized = ask())).observe(stage);
  new IntersectionObserver((entries) => (inView = entries.at(-1).isIntersecting) && ask()).observe(div);
  addEventListener("beforeprint", () => printing(true));
  addEventListener("afterprint", () => printing(false));
  return ui;
};
