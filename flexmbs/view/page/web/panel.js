// The side panel: colours, deformation, parts, cut, what is drawn, histories, probes, notes.
flexmbs.panel = (ui) => {
  const {make, button} = flexmbs, {scene, state, renderer} = ui;
  const changed = (change) => (event) => {
    change(event.target.type === "checkbox" ? event.target.checked : event.target.value, event.target);
    ui.ask();
  };
  const row = (text, ...inputs) => make("label", {}, make("span", {textContent: text}), ...inputs);
  const input = (type, properties, oninput) => make("input", {type, ...properties, oninput: changed(oninput)});
  const check = (text, checked, change) => make("label", {}, input("checkbox", {checked}, change), make("span", {textContent: text}));
  const choice = (text, options, value, change) => {
    const select = make("select", {onchange: changed(change)}, ...options.map(([value, text]) => new Option(text, value)));
    select.value = value;
    return row(text, select);
  };
  const range = (text, properties, change) => row(text, input("range", {step: "any", ...properties}, change));
  const section = (title, open, ...rows) =>
    rows.flat().some(Boolean) ? make("details", {open}, make("summary", {textContent: title}), ...rows.flat()) : null;

  const colours = () => {
    const ends = ["low", "high"].map((end) =>
      input("number", {step: "any", ariaLabel: `${end} end of the colours`}, (text) => {
        ui.typed[end] = text === "" ? null : text / ui.quantity().factor;
        ui.setColours(state.quantity, "typed");
      }));
    const quantity = choice("Colour", scene.quantities.map((q) => [q.key, q.title]), state.quantity, (key) =>
      ui.setColours(key, ui.range === "typed" ? "run" : ui.range));
    const mode = choice("Range", [["run", "whole run"], ["frame", "each time"], ["typed", "typed"]], ui.range, (range) =>
      ui.setColours(state.quantity, range));
    const typed = row("Limits", ...ends);
    ui.coloursChanged = () => {
      const {key, factor, unit} = ui.quantity();
      quantity.lastChild.value = state.quantity;
      mode.lastChild.value = ui.range;
      mode.hidden = typed.hidden = key === "body";
      typed.firstChild.textContent = `Limits${unit ? ` (${unit})` : ""}`;
      ["low", "high"].forEach((end, i) => {
        if (document.activeElement !== ends[i]) ends[i].value = +(state[end] * factor).toPrecision(4);
      });
      ends[1].setCustomValidity(state.high > state.low ? "" : "must be above the low end");
    };
    return [quantity, mode, typed];
  };

  const deformation = () => {
    const moves = scene.poseShift || scene.parts.some((part) => part.displacement) || scene.marks.some((mark) => mark.moves);
    if (!moves) return [];
    const most = Math.max(3, Math.ceil(Math.log10(state.scale || 1)));
    const number = input("number", {min: 0, step: "any", value: state.scale}, (value) => set(+value || 0, slider));
    const slider = input("range", {min: -1, max: most, step: 0.01, ariaLabel: "Scale of deformation"}, (value) =>
      set(+(10 ** value).toPrecision(2), number));
    const set = (scale) => {
      state.scale = scale;
      if (document.activeElement !== number) number.value = scale;
      if (document.activeElement !== slider) slider.value = Math.log10(scale || 0.1);
    };
    set(state.scale);
    return [row("Scale", number), slider];
  };

  // A row for parts (indices): shown or not, and how opaque.
  const parts = (name, indices, color) => {
    const shown = input("checkbox", {checked: indices.some((i) => !state.hidden.has(i))}, (on) => show(on));
    const show = (on) => indices.forEach((i) => (on ? state.hidden.delete(i) : state.hidden.add(i)));
    const opacity = input("range", {min: 0, max: 1, step: 0.05, value: scene.parts[indices[0]].opacity, title: "Opacity",
      ariaLabel: `Opacity of ${name}`}, (value) => indices.forEach((i) => state.opacity.set(i, +value)));
    const swatch = color && make("i", {style: `background:rgb(${color.map((part) => Math.round(255 * part))})`});
    return make("div", {className: "part"}, make("label", {title: name}, shown, swatch, make("span", {textContent: name})), opacity);
  };
  const groups = () => {
    const names = [...new Set(scene.parts.map((part) => part.group))];
    return names.map((name) => {
      const indices = [...scene.parts.keys()].filter((i) => scene.parts[i].group === name);
      return make("details", {open: indices.length < 12}, make("summary", {}, parts(name, indices)),
        ...indices.map((i) => parts(scene.parts[i].name, [i], scene.parts[i].color)));
    });
  };

  const cut = () => {
    let sign = 0, axis = 0;
    const set = () => (state.clip = sign && {normal: [0, 1, 2].map((i) => (i === axis ? sign : 0)), offset: sign * offset.value}) || (state.clip = null);
    const offset = input("range", {step: "any", disabled: true, ariaLabel: "Place of the cut"}, set);
    const options = [["", "none"], ...["x", "−x", "y", "−y", "z", "−z"].map((name, i) => [String(i), `across ${name}`])];
    return [choice("Cut", options, "", (value) => {
      [axis, sign] = [value >> 1, value === "" ? 0 : value & 1 ? -1 : 1];
      const [low, high] = [scene.bounds.low[axis], scene.bounds.high[axis]];
      Object.assign(offset, {disabled: !sign, min: low, max: high, value: (low + high) / 2});
      set();
    }), offset];
  };

  const drawn = () => [
    check("Edges of elements", state.edges, (on) => (state.edges = on)),
    ...Object.keys(state.glyphs).map((key) => check(ui.glyphNames[key], state.glyphs[key], (on) => (state.glyphs[key] = on))),
    check("Perspective", renderer.camera.perspective, (on) => (renderer.camera.perspective = on)),
    choice("Follow", [["", "nothing"], ...scene.bodies.map((body, i) => [i, body.name])], "", (value) =>
      (renderer.camera.follow = value === "" ? null : +value)),
    make("div", {className: "views"}, ...["x", "-x", "y", "-y", "z", "-z", "iso"].map((view) =>
      make("button", {type: "button", textContent: view.replace("-", "−"), title: `Look from ${view}`, onclick: () => ui.look(view)}))),
  ];

  const histories = () => {
    const list = make("div", {className: "list"}), most = 100;
    const search = input("search", {placeholder: "Search histories", ariaLabel: "Search histories"}, () => fill());
    const fill = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const found = ui.histories.filter((h) => words.every((word) => `${h.group} ${h.name} ${h.unit}`.toLowerCase().includes(word)));
      list.replaceChildren(...found.slice(0, most).map((h) => check(`${h.name}${h.unit && ` (${h.unit})`}`, h.shown, (on) => ui.plot([h], on))));
      if (!found.length) list.append("None has these words.");
      if (found.length > most) list.append(`${found.length - most} more: search for them.`);
    };
    ui.historiesChanged = fill;
    fill();
    return ui.histories.length || renderer ? [search, list] : [];
  };

  const probes = () => {
    const list = make("div", {className: "probes"}, "Click a part to read its values there.");
    ui.probesChanged = () => {
      list.replaceChildren(...ui.probes.map((probe) => make("article", {}, make("header", {},
        make("i", {style: `background:${probe.color}`}), make("strong", {textContent: probe.name}),
        button("Copy its values over time (CSV)", "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3", () => ui.copyProbe(probe)),
        button("Save its values over time (CSV)", "M8 2v8M4.5 7L8 10.5 11.5 7M2 13.5h12", () => ui.saveProbe(probe)),
        button("Remove this probe", "M4 4l8 8M12 4l-8 8", () => ui.removeProbe(probe))), (probe.output = make("dl")))));
      if (!ui.probes.length) list.append("Click a part to read its values there.");
    };
    return [list];
  };

  return make("aside", {ariaLabel: "Settings"},
    ...(renderer ? [
      section("Colours", true, ...colours()), section("Deformation", true, ...deformation()),
      section("Probes", true, ...probes()), section("Parts", true, ...groups()),
      section("Cut", false, ...cut()), section("View", false, ...drawn())] : []),
    scene.time && section("Histories", true, ...histories()),
    section("Notes", false, ...scene.notes.map((note) => make("p", {textContent: note}))));
};
