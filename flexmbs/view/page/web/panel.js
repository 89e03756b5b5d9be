// The side panel: colours, deformation, probes, parts, cut, what is drawn, histories, notes.
flexmbs.panel = (ui) => {
  const { make } = flexmbs.tools,
    { scene, state, renderer } = ui,
    AXES = ["x", "-x", "y", "-y", "z", "-z"];
  const input = (type, properties, change) =>
    make("input", {
      type,
      step: "any",
      ...properties,
      oninput: ({ target }) => {
        change(type === "checkbox" ? target.checked : target.value);
        ui.ask();
      },
    });
  const row = (text, ...inputs) => make("label", {}, make("span", {}, text), ...inputs);
  const check = (text, checked, change) =>
    make("label", { title: text }, input("checkbox", { checked }, change), make("span", {}, text));
  const choice = (text, options, value, change) => {
    const select = make(
      "select",
      { onchange: () => (change(select.value), ui.ask()) },
      ...options.map(([value, text]) => new Option(text, value)),
    );
    select.value = value;
    return row(text, select);
  };
  const section = (title, open, ...rows) =>
    rows.some(Boolean) && make("details", { open }, make("summary", {}, title), ...rows);

  const colours = () => {
    const quantity = choice(
      "Quantity",
      scene.quantities.map((q) => [q.key, q.title]),
      state.quantity,
      (key) => ui.colour(key, "run"),
    );
    const range = choice(
      "Range",
      [["run", "of the whole run"], ...(ui.time ? [["time", "of each time"]] : []), ["typed", "typed"]],
      "run",
      (range) => ui.colour(state.quantity, range),
    );
    const ends = ["low", "high"].map((end) =>
      input("number", { ariaLabel: `${end} limit` }, (text) => {
        ui.typed[end] = text === "" ? null : text / ui.quantity().factor;
        ui.colour(state.quantity, "typed");
      }),
    );
    const limits = row("Limits", ...ends);
    ui.coloursChanged = () => {
      quantity.lastChild.value = state.quantity;
      range.lastChild.value = ui.range;
      range.hidden = limits.hidden = state.quantity === "body";
      for (const [i, end] of ["low", "high"].entries())
        if (ends[i] !== document.activeElement) ends[i].value = +(state[end] * ui.quantity().factor).toPrecision(4);
      ends[1].setCustomValidity(state.high > state.low ? "" : "must be above the low limit");
    };
    return [quantity, range, limits];
  };

  const deformation = () => {
    if (!scene.poseShift && !scene.parts.some((part) => part.displacement) && !scene.marks.some((mark) => mark.moves))
      return [];
    const exact = input("number", { min: 0, value: state.scale }, (value) => {
      state.scale = +value;
      slider.value = Math.log10(state.scale || 0.1);
    });
    const slider = input(
      "range",
      {
        min: -1,
        max: Math.max(3, Math.ceil(Math.log10(state.scale))),
        ariaLabel: "Scale of deformation",
        value: Math.log10(state.scale),
      },
      (value) => (exact.value = state.scale = +(10 ** value).toPrecision(2)),
    );
    return [row("Scale", exact), slider];
  };

  // A row for parts: shown or not, and how opaque.
  const parts = (name, indices, swatch, changed) => {
    const [first] = indices,
      color = scene.parts[first].color.map((c) => Math.round(255 * c));
    const shown = check(
      name,
      indices.some((i) => !state.hidden.has(i)),
      (on) => {
        for (const i of indices) state.hidden[on ? "delete" : "add"](i);
        changed?.();
      },
    );
    if (swatch) shown.lastChild.before(make("i", { style: `background:rgb(${color})` }));
    const opacity = state.opacity.get(first) ?? scene.parts[first].opacity;
    return make(
      "div",
      { className: "part" },
      shown,
      input("range", { max: 1, value: opacity, title: `Opacity of ${name}` }, (value) => {
        for (const i of indices) state.opacity.set(i, +value);
        changed?.();
      }),
    );
  };
  const groups = () =>
    [...new Set(scene.parts.map((part) => part.group))].map((group) => {
      const indices = [...scene.parts.keys()].filter((i) => scene.parts[i].group === group),
        list = make("div");
      const fill = () =>
        list.replaceChildren(...(details.open ? indices.map((i) => parts(scene.parts[i].name, [i], true)) : []));
      const details = make(
        "details",
        { open: indices.length < 12, ontoggle: fill },
        make("summary", {}, parts(group, indices, false, fill)),
        list,
      );
      return details;
    });

  const cut = () => {
    const offset = input(
      "range",
      { disabled: true, ariaLabel: "Place of the cut" },
      (value) => (state.clip.offset = (state.clip.normal.some((n) => n < 0) ? -1 : 1) * value),
    );
    const axis = choice(
      "Across",
      [["", "nothing"], ...AXES.map((name, i) => [i, name.replace("-", "−")])],
      "",
      (value) => {
        const i = value >> 1,
          sign = value & 1 ? -1 : 1,
          low = scene.bounds.low[i],
          high = scene.bounds.high[i],
          middle = (low + high) / 2;
        Object.assign(offset, { disabled: value === "", min: low, max: high, value: middle });
        state.clip =
          value === "" ? null : { normal: [0, 1, 2].map((k) => (k === i ? sign : 0)), offset: sign * middle };
      },
    );
    return [axis, offset];
  };

  const drawn = () => [
    (ui.edges = check("Edges of elements", state.edges, (on) => (state.edges = on))),
    ...[
      ["marks", "Markers"],
      ["forces", "Contact forces"],
      ["contacts", "Contact points"],
      ["joints", "Joints"],
      ["axes", "Axes"],
      ["shadow", "Ground and shadow"],
    ].map(([key, text]) => check(text, state.glyphs[key], (on) => (state.glyphs[key] = on))),
    check("Perspective", renderer.camera.perspective, (on) => (renderer.camera.perspective = on)),
    choice(
      "Follow",
      [["", "nothing"], ...scene.bodies.map(({ name }, i) => [i, name])],
      "",
      (value) => (renderer.camera.follow = value === "" ? null : +value),
    ),
    make(
      "div",
      {},
      ...[...AXES, "iso"].map((axis) =>
        make("button", { title: `Look from ${axis}`, onclick: () => ui.look(axis) }, axis.replace("-", "−")),
      ),
    ),
  ];

  const histories = () => {
    if (!ui.histories.length) return [];
    const list = make("div", { className: "list" }),
      most = 100;
    const search = input("search", { placeholder: "Search", ariaLabel: "Search histories" }, () =>
      ui.historiesChanged(),
    );
    ui.historiesChanged = () => {
      const words = search.value.toLowerCase().split(/\s+/);
      const found = ui.histories.filter((h) =>
        words.every((word) => `${h.group} ${h.name} ${h.unit}`.toLowerCase().includes(word)),
      );
      list.replaceChildren(
        ...found
          .slice(0, most)
          .map((h) => check(`${h.name}${h.unit && ` (${h.unit})`}`, h.shown, (on) => ui.plot([h], on))),
      );
      if (!found.length) list.append("No history has these words.");
      if (found.length > most) list.append(`${found.length - most} more: search for them.`);
    };
    return [search, list];
  };

  return make(
    "aside",
    { ariaLabel: "Settings" },
    ...(renderer
      ? [
          section("Colours", true, ...colours()),
          section("Deformation", true, ...deformation()),
          section("Probes", true, ui.probing.element),
          section("Parts", true, ...groups()),
          section("Cut", false, ...cut()),
          section("View", false, ...drawn()),
        ]
      : []),
    section("Histories", true, ...histories()),
    section("Notes", true, ...scene.notes.map((note) => make("p", {}, note))),
  );
};
