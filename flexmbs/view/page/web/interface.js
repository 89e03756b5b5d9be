// The user's interface of a scene: flexmbs.start(div) decodes it, builds everything inside the div, drives renderer,
// plots and panel. Frames are drawn only when something has changed: a scene at rest takes no time.
flexmbs.start = async (div) => {
  const entry = {}, {make} = flexmbs, message = make("p", {className: "opening", textContent: "Opening …"});
  (flexmbs.scenes ??= []).push(entry);
  div.append(message);
  try {
    entry.scene = await flexmbs.decode(div);
    entry.ui = new flexmbs.Interface(div, entry.scene);
    entry.renderer = entry.ui.renderer;
    message.remove();
  } catch (error) {
    console.error(error);
    Object.assign(message, {role: "alert", textContent: `This scene cannot be shown: ${error.message ?? error}`});
  }
};

flexmbs.Interface = class {
  glyphNames = {marks: "Markers", forces: "Contact forces", contacts: "Contact points", joints: "Joints", axes: "Axes", shadow: "Ground and shadow"};

  constructor(div, scene) {
    Object.assign(this, {div, scene, time: scene.time, frame: 0, playing: false, probes: [], typed: {}, range: "run"});
    this.histories = [...scene.histories];
    this.speed = this.time?.phase || !scene.view.speed ? "film" : String(scene.view.speed);
    this.build();
    this.keys = this.shortcuts();
    const {quantity} = this.state, panel = flexmbs.panel(this);
    this.panel.replaceWith((this.panel = panel));
    this.panel.hidden = div.clientWidth < 900;
    if (this.renderer) this.setColours(quantity, "run");
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.onchange = () => this.setTheme(dark.matches);
    this.setTheme(scene.view.theme ? scene.view.theme === "dark" : dark.matches);
    this.plot([], true);
    this.listen();
    this.play(this.time?.phase && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  // ---------- elements

  build() {
    const {make, button} = flexmbs, {div, scene, time} = this;
    this.canvas = make("canvas", {className: "picture", role: "img", ariaLabel: `${scene.title}: scene in three dimensions`});
    this.over = make("canvas", {className: "over", ariaHidden: true});
    this.print = make("canvas", {className: "print", ariaHidden: true});
    this.message = make("p", {className: "message", role: "status", hidden: true});
    this.panel = make("aside");
    this.stage = make("div", {className: "stage"}, this.canvas, this.over, this.print, this.message);
    this.help = make("dialog", {ariaLabel: "Help"});
    const bar = make("header", {className: "top"}, make("div", {}, make("h2", {textContent: scene.title, title: scene.title}),
      make("p", {textContent: scene.subtitle, title: scene.subtitle})),
      button("Fit the picture (f)", "M2 5.5V2h3.5M10.5 2H14v3.5M14 10.5V14h-3.5M5.5 14H2v-3.5M5.5 5.5h5v5h-5z", () => this.look(null)),
      button("Save the picture (PNG)", "M2 4.5h3l1-2h4l1 2h3v9H2zM8 6.2a2.4 2.4 0 1 0 .1 0z", () => this.savePicture()),
      button("Light or dark (d)", "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12", () => this.setTheme(div.dataset.theme !== "dark")),
      document.fullscreenEnabled && button("Full screen", "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4", () => this.fullScreen()),
      button("Help (?)", "M5.6 6a2.4 2.4 0 1 1 3.6 2C8.3 8.600 8 9 8 10M8 12.500v.6", () => this.showHelp()),
      button("Settings (s)", "M2 4h5m4 0h3M2 12h2m4 0h6M9 2.500v3M6 10.500v3", () => this.togglePanel()));
    this.app = make("div", {className: "app"}, bar, this.stage, this.panel, time && this.timeline(), this.help);
    if (time) {
      const plots = {time, seek: (t) => this.seek(t), wheels: (event) => this.wheels(event), save: (...all) => this.save(...all)};
      this.plots = new flexmbs.Plots(plots);
      this.app.append(this.plots.element);
    }
    div.tabIndex = 0;
    div.append(this.app);
    try {
      this.renderer = new flexmbs.Renderer(this.canvas, scene);
    } catch (error) {
      this.say(`The scene cannot be drawn: ${error.message}`, true);
    }
    this.state = this.renderer?.state ?? {};
    const {quantity, edges, markers} = scene.view;
    Object.assign(this.state, {quantity: quantity ?? "body", edges: !!edges});
    if (this.renderer) this.state.glyphs.marks = !!markers;
  }

  timeline() {
    const {make, button} = flexmbs, {time} = this;
    this.playButton = button("Play (space)", "", () => this.play(!this.playing));
    this.slider = make("input", {type: "range", min: 0, max: 1, step: "any", value: 0, ariaLabel: "Time"});
    this.slider.oninput = () => {
      this.play(false);
      this.seekAxis(this.axis()[0] + this.slider.value * this.length());
    };
    this.marks = make("div", {className: "marks"}, ...time.impacts.map((impact) => {
      const force = impact.force ? `, ${flexmbs.withPrefix(impact.force, "N")}` : "";
      return make("i", {title: `${impact.name} at ${impact.t.toFixed(time.digits)} s${force}`, onclick: () => this.seek(impact.t)});
    }));
    const speeds = time.phase ? [] : [10, 5, 2, 1, 0.5, 0.2, 0.1, 0.01, 0.001, 1e-4].map((s) => [String(s), flexmbs.speedText(s)]);
    if (!isNaN(this.speed) && !speeds.some(([s]) => s === this.speed)) speeds.push([this.speed, flexmbs.speedText(+this.speed)]);
    this.speeds = make("select", {title: "Speed: of the film (slow at impacts), or fixed", ariaLabel: "Speed"},
      new Option("film", "film"), ...speeds.map(([s, text]) => new Option(text, s)));
    this.speeds.value = this.speed;
    this.speeds.onchange = () => this.setSpeed(this.speeds.value);
    this.loop = button("Repeat (l)", "M11 2l2.500 2.500L11 7M13.500 4.500H5A2.500 2.500 0 0 0 2.500 7M5 14l-2.500-2.500L5 9M2.500 11.500H11A2.500 2.500 0 0 0 13.500 9", () =>
      this.loop.setAttribute("aria-pressed", this.loop.ariaPressed !== "true"));
    this.loop.ariaPressed = "true";
    this.clock = make("output", {className: "clock"});
    this.rate = make("output", {className: "rate"});
    this.placeMarks();
    return make("div", {className: "timeline", role: "group", ariaLabel: "Time"}, this.playButton,
      make("div", {className: "track"}, this.marks, this.slider), this.clock, this.rate, time.phase ? null : this.speeds, this.loop);
  }

  listen() {
    const camera = this.renderer?.camera;
    if (camera) {
      flexmbs.gestures(this.canvas, {
        drag: (dx, dy, event) => (event.buttons & 6 || event.shiftKey ? camera.pan(dx, dy) : camera.orbit(dx, dy), this.ask()),
        pinch: (factor, x, y, dx, dy) => (camera.zoom(factor, x, y), camera.pan(dx, dy), this.ask()),
        wheel: (factor, x, y, event) => this.wheels(event) && (camera.zoom(factor, x, y), this.ask()),
        tap: (x, y) => this.tap(x, y),
      });
      this.canvas.addEventListener("webglcontextlost", () => this.say("The browser took the graphics memory away: open the page again.", true));
    }
    document.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => (this.resized = this.ask())).observe(this.stage);
    new IntersectionObserver((entries) => (this.seen = entries.at(-1).isIntersecting) && this.ask()).observe(this.div);
    addEventListener("beforeprint", () => this.printing(true));
    addEventListener("afterprint", () => this.printing(false));
  }

  // ---------- time

  // Times that the slider shows: of the film, or of the run.
  axis() {
    return this.speed === "film" ? this.time.film : this.time.t;
  }

  length() {
    const axis = this.axis();
    return axis[axis.length - 1] - axis[0] || 1;
  }

  now() {
    return this.time ? flexmbs.between(this.time.t, this.frame) : 0;
  }

  setFrame(frame) {
    this.frame = Math.min(Math.max(frame, 0), this.time.t.length - 1);
    this.ask();
  }

  seek(t) {
    this.setFrame(flexmbs.indexAt(this.time.t, t));
  }

  seekAxis(x) {
    this.setFrame(flexmbs.indexAt(this.axis(), x));
  }

  step(frames) {
    this.play(false);
    this.setFrame(Math.round(this.frame) + frames);
  }

  toImpact(sign) {
    const times = this.time.impacts.map((impact) => impact.t).sort((a, b) => sign * (a - b));
    const next = times.find((t) => sign * (t - this.now()) > 1e-9 * this.time.t.at(-1));
    if (next !== undefined) this.seek(next);
  }

  play(playing) {
    if (!this.time) return;
    if (playing && this.frame >= this.time.t.length - 1) this.frame = 0;
    this.playing = playing;
    this.last = undefined;
    this.playButton.querySelector("path").setAttribute("d", playing ? "M4.500 3v10M11.500 3v10" : "M4 2.500l9.500 5.500L4 13.500z");
    this.playButton.title = this.playButton.ariaLabel = playing ? "Pause (space)" : "Play (space)";
    this.ask();
  }

  advance(milliseconds) {
    const elapsed = Math.min((milliseconds - (this.last ?? milliseconds)) / 1000, 0.1), axis = this.axis();
    this.last = milliseconds;
    const x = flexmbs.between(axis, this.frame) + elapsed * (this.speed === "film" ? 1 : +this.speed);
    const over = x - axis[axis.length - 1];
    if (over >= 0 && this.loop.ariaPressed !== "true") this.play(false);
    this.frame = flexmbs.indexAt(axis, over >= 0 && this.playing ? axis[0] + (over % this.length()) : x);
  }

  setSpeed(speed) {
    this.speed = this.speeds.value = speed;
    this.placeMarks();
    this.ask();
  }

  faster(sign) {
    const {speeds} = this;
    speeds.selectedIndex = Math.min(Math.max(speeds.selectedIndex - sign, 0), speeds.length - 1);
    this.setSpeed(speeds.value);
  }

  placeMarks() {
    const {t} = this.time, axis = this.axis();
    [...this.marks.children].forEach((mark, i) => {
      const x = flexmbs.between(axis, flexmbs.indexAt(t, this.time.impacts[i].t));
      mark.style.left = `${(100 * (x - axis[0])) / this.length()}%`;
    });
  }

  timeText() {
    if (!this.time) return "";
    const t = this.now();
    return this.time.phase ? `phase ${Math.round((360 * t) / this.time.t.at(-1))}°` : `${t.toFixed(this.time.digits)} s`;
  }

  // ---------- drawing

  ask() {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.tick(now));
    return true;
  }

  tick(now) {
    this.asked = 0;
    if (this.seen === false) return (this.last = undefined);
    try {
      if (this.resized) this.renderer?.resize(), this.plots?.draw();
      this.resized = false;
      if (this.playing) this.advance(now);
      this.draw();
    } catch (error) {
      console.error(error);
      this.playing = false;
      this.say(`Something went wrong: ${error.message}`, true);
    }
    if (this.playing) this.ask();
  }

  draw() {
    const {renderer, state, time} = this;
    if (time) {
      const t = this.now(), axis = this.axis(), text = this.timeText();
      this.slider.value = (flexmbs.between(axis, this.frame) - axis[0]) / this.length();
      this.slider.setAttribute("aria-valuetext", text);
      this.clock.textContent = text;
      const i = Math.min(Math.floor(this.frame), time.t.length - 2);
      const rate = (time.t[i + 1] - time.t[i]) / (time.film[i + 1] - time.film[i]);
      this.rate.textContent = this.speed === "film" && !time.phase && isFinite(rate) ? flexmbs.speedText(rate) : "";
      this.plots.cursor(t);
    }
    if (!renderer) return;
    state.frame = this.frame;
    if (this.range === "frame") this.setLimits();
    renderer.draw();
    const {context, width, height} = flexmbs.fitted(this.over);
    flexmbs.overlay(this, context, width, height);
    if (!this.panel.hidden) this.probes.forEach((probe) => this.showProbe(probe));
  }

  say(words, stays = false) {
    Object.assign(this.message, {textContent: words, hidden: false});
    clearTimeout(this.saying);
    if (!stays) this.saying = setTimeout(() => (this.message.hidden = true), 4000);
  }

  // ---------- colours and look

  quantity(key = this.state.quantity) {
    return this.scene.quantities.find((q) => q.key === key && key !== "body") ?? {key: "body", title: "", factor: 1};
  }

  setColours(key, range) {
    this.state.quantity = key;
    this.range = range;
    this.setLimits();
    this.ask();
  }

  setLimits() {
    const {low, high, ofFrame} = this.quantity(), {state} = this;
    Object.assign(state, {low, high});
    if (this.range === "frame" && ofFrame) {
      const [i, part] = [Math.floor(this.frame), this.frame % 1];
      const at = (end) => ofFrame[2 * i + end] * (1 - part) + (part && ofFrame[2 * i + 2 + end] * part);
      Object.assign(state, {low: at(0), high: at(1)});
    }
    if (this.range === "typed") Object.assign(state, {low: this.typed.low ?? low, high: this.typed.high ?? high});
    this.coloursChanged();
  }

  setTheme(dark) {
    this.div.dataset.theme = dark ? "dark" : "light";
    this.state.dark = dark;
    this.plots?.draw();
    this.ask();
  }

  look(view) {
    if (!this.renderer) return;
    if (view) this.renderer.camera.look(view);
    else this.renderer.camera.fit();
    this.ask();
  }

  togglePanel() {
    this.panel.hidden = !this.panel.hidden;
    this.ask();
  }

  fullScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else (this.div.requestFullscreen?.() ?? Promise.reject()).catch(() => this.say("The browser does not allow full screen here."));
  }

  // ---------- probes and plots

  tap(x, y) {
    clearTimeout(this.tapping);
    if (this.tapping) return (this.tapping = this.look(null)); // second tap of two: fit
    this.tapping = setTimeout(() => {
      this.tapping = undefined;
      const hit = this.renderer.pick(x, y);
      if (hit) this.probe(hit.part, hit.point);
    }, 250);
    this.div.focus({preventScroll: true});
  }

  probe(part, point) {
    const same = this.probes.find((probe) => probe.part === part && probe.point === point);
    if (same) return this.removeProbe(same);
    const {scene, renderer, state} = this, {name, nodes} = scene.parts[part], {colors} = flexmbs.Plots;
    const color = colors.find((c) => !this.probes.some((probe) => probe.color === c)) ?? colors[0];
    const probe = {part, point, color, name: nodes ? `${name}, node ${nodes[point]}` : name};
    probe.quantities = scene.quantities.filter((q) => q.key !== "body" && !isNaN(renderer.value(part, point, q.key)));
    probe.histories = this.time ? probe.quantities.map((q) => ({...q, name: `${probe.name}: ${q.title}`, group: "Probes", t: null,
      label: probe.name, panel: `${q.title} (${q.unit})`, color,
      values: this.overRun(() => renderer.value(part, point, q.key))})) : [];
    this.probes.push(probe);
    state.selected = {part, point};
    this.histories.push(...probe.histories);
    const shown = [this.quantity().key, "displacement"];
    this.plot(probe.histories.filter((history) => shown.includes(history.key)), true);
    this.probesChanged();
  }

  // What a function of the renderer gives at each frame of the run.
  overRun(give) {
    const {state, time} = this, values = Array.from(time.t, (_, frame) => ((state.frame = frame), give()));
    state.frame = this.frame;
    return values;
  }

  removeProbe(probe) {
    this.probes = this.probes.filter((other) => other !== probe);
    this.histories = this.histories.filter((history) => !probe.histories.includes(history));
    this.state.selected = this.probes.at(-1) ?? null;
    this.probesChanged();
    this.plot(probe.histories, false);
  }

  showProbe({part, point, quantities, output}) {
    const {renderer, scene} = this, {number, make} = flexmbs, errors = scene.parts[part].errors ?? {};
    const rows = [["Position", `${renderer.position(part, point).map((x) => number(x * 1000, 5)).join(", ")} mm`]];
    for (const {key, title, unit, factor} of quantities) {
      const error = key === "displacement" ? errors.displacement : key === "pressure" ? 0 : errors.stress;
      const about = error ? ` ± ${number(error * factor, 2)}` : "";
      rows.push([title, `${number(renderer.value(part, point, key) * factor)}${about} ${unit}`]);
    }
    output.replaceChildren(...rows.flatMap(([title, text]) =>
      [make("dt", {textContent: title}), make("dd", {textContent: text})]));
  }

  probeColumns({part, point, name, histories}) {
    const place = this.time ? this.overRun(() => this.renderer.position(part, point)) : [this.renderer.position(part, point)];
    return [{title: "time [s]", values: this.time?.t ?? [0]},
      ...["x", "y", "z"].map((axis, i) => ({title: `${name}: ${axis} [m]`, values: place.map((p) => p[i])})),
      ...histories.map((h) => ({title: `${h.name} [${h.unit}]`, values: h.values.map((value) => value * h.factor)}))];
  }

  saveProbe(probe) {
    this.save(probe.name, this.probeColumns(probe));
  }

  async copyProbe(probe) {
    try {
      await navigator.clipboard.writeText(flexmbs.csv(this.probeColumns(probe)));
      this.say(`Copied: ${probe.name}`);
    } catch {
      this.saveProbe(probe); // not every browser lets a page copy
    }
  }

  save(name, columns) {
    flexmbs.download(`${this.scene.title} ${name}.csv`, new Blob([flexmbs.csv(columns)], {type: "text/csv"}));
  }

  plot(histories, shown) {
    histories.forEach((history) => (history.shown = shown));
    this.plots?.show(this.histories.filter((history) => history.shown));
    this.historiesChanged?.();
    this.ask();
  }

  // ---------- pictures

  // Puts scene, legends, title and time on a 2D canvas, twice as fine as the screen.
  picture(target) {
    const {canvas, renderer} = this, context = target.getContext("2d"), {clientWidth, clientHeight} = canvas;
    canvas.style.width = canvas.style.height = "200%";
    renderer.resize();
    renderer.draw();
    Object.assign(target, {width: canvas.width, height: canvas.height});
    context.drawImage(canvas, 0, 0);
    canvas.style.width = canvas.style.height = "";
    renderer.resize();
    this.draw();
    context.scale(target.width / clientWidth, target.height / clientHeight);
    flexmbs.overlay(this, context, clientWidth, clientHeight, true);
    return target;
  }

  savePicture() {
    if (!this.renderer) return this.say("There is no picture without WebGL2.");
    this.picture(flexmbs.make("canvas")).toBlob((blob) => flexmbs.download(`${this.scene.title} ${this.timeText()}.png`, blob));
  }

  printing(begins) {
    if (begins) this.printed = this.div.dataset.theme === "dark";
    if (this.plots) this.plots.printing = begins;
    this.setTheme(!begins && this.printed);
    if (begins && this.renderer) this.picture(this.print);
  }

  // ---------- keys

  shortcuts() {
    const look = ["x", "-x", "y", "-y", "z", "-z"], {renderer} = this;
    const toggle = (key) => () => ((this.state[key] = !this.state[key]), this.ask());
    const zoom = (factor) => () => (renderer.camera.zoom(factor, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2), this.ask());
    const film = this.time && [
      ["Space", "play, pause", [" "], () => this.play(!this.playing)],
      ["← →", "a frame back, on (with Shift: ten)", ["ArrowLeft", "ArrowRight"], (i, event) => this.step((2 * i - 1) * (event.shiftKey ? 10 : 1))],
      ["↑ ↓", "faster, slower", ["ArrowDown", "ArrowUp"], (i) => this.faster(2 * i - 1)],
      ["Home End", "start, end", ["Home", "End"], (i) => this.setFrame(i * Infinity || 0)],
      [", .", "impact before, after", [",", "."], (i) => this.toImpact(2 * i - 1)],
      ["l", "repeat", ["l"], () => this.loop.click()]];
    return [...(film || []), ...(renderer ? [
      ["+ −", "zoom in, out", ["+", "-", "="], (i) => zoom(i === 1 ? 1 / 1.25 : 1.25)()],
      ["1 … 6", "look from x, −x, y, −y, z, −z", ["1", "2", "3", "4", "5", "6"], (i) => this.look(look[i])],
      ["0", "look from a corner", ["0"], () => this.look("iso")],
      ["f", "fit the picture", ["f"], () => this.look(null)],
      ["e", "edges of elements", ["e"], toggle("edges")]] : []),
      ["s", "settings", ["s"], () => this.togglePanel()],
      ["d", "light, dark", ["d"], () => this.setTheme(this.div.dataset.theme !== "dark")],
      ["?", "help", ["?"], () => this.showHelp()]];
  }

  key(event) {
    const {target} = event, fills = this.div.clientHeight > 0.8 * innerHeight;
    const mine = this.div.contains(target) || (target === document.body && (fills || this.div.matches(":hover")));
    if (!mine || event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (target.matches("select, textarea, input:not([type=range], [type=checkbox])")) return;
    if (target.matches("button, summary, input[type=checkbox]") && event.key === " ") return;
    if (target.matches("input[type=range]") && target !== this.slider && /Arrow|Home|End/.test(event.key)) return;
    const found = this.keys.find(([, , keys]) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found[3](found[2].indexOf(event.key), event);
  }

  // The wheel zooms where the page itself need not scroll by it.
  wheels(event) {
    const fills = this.div.clientHeight > 0.8 * innerHeight && window === window.top;
    const takes = fills || event.ctrlKey || this.div.contains(document.activeElement);
    if (takes) event.preventDefault();
    return takes;
  }

  showHelp() {
    const {make} = flexmbs, rows = this.keys.map(([keys, text]) => [keys, text]);
    rows.push(["drag", "turn; with Shift or the right button: move"], ["wheel, pinch", "zoom"], ["click, tap", "read the values of a node; again: remove"],
      ["double click", "fit the picture"], ["in a plot", "click: time; wheel, pinch: zoom; Shift and drag: move; double click: all"]);
    const close = make("button", {type: "button", textContent: "Close", onclick: () => this.help.close()});
    this.help.replaceChildren(make("h2", {textContent: "Keys and gestures"}),
      make("dl", {}, ...rows.flatMap(([keys, text]) => [make("dt", {textContent: keys}), make("dd", {textContent: text})])), close);
    this.help.showModal();
  }
};

flexmbs.speedText = (speed) => (speed >= 0.999 ? `${flexmbs.number(speed, 2)} × real time` : `1/${flexmbs.number(1 / speed, 2)} of real time`);
