// Probes: nodes whose values are labelled, listed in the panel, plotted and saved.
flexmbs.probes = (ui) => {
  const { make, button, number, table, save, DOWN } = flexmbs.tools,
    { scene, state, renderer } = ui,
    times = ui.time?.t ?? [0];
  const element = make("div"),
    hint = "Click a part to read its values there.";

  const overRun = (give) => {
    const values = Array.from(times, (_, frame) => ((state.frame = frame), give()));
    state.frame = ui.frame;
    return values;
  };

  // What was computed: at deformation scale 1, whatever is drawn.
  const place = (part, point) => {
    const { scale } = state;
    state.scale = 1;
    const position = renderer.position(part, point);
    state.scale = scale;
    return position;
  };
  const text = ({ part, point, name, histories }) => {
    const places = overRun(() => place(part, point));
    return table(
      histories.map((h) => ({ ...h, t: times })),
      ["x", "y", "z"].map((axis, i) => [`${name}: ${axis} [m]`, places.map((p) => p[i])]),
    );
  };
  const saveText = (probe) => save(`${scene.title} ${probe.name}.csv`, text(probe));
  const copy = (probe) =>
    (navigator.clipboard?.writeText(text(probe)) ?? Promise.reject()).then(
      () => ui.say(`Copied: ${probe.name}`),
      () => saveText(probe),
    );

  const list = () => {
    element.replaceChildren(
      ...ui.probes.map((probe) =>
        make(
          "article",
          {},
          make(
            "header",
            {},
            make("i", { style: `background:${probe.color}` }),
            make("strong", {}, probe.name),
            button("Copy values over time (CSV)", "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3", () => copy(probe)),
            button("Save values over time (CSV)", DOWN, () => saveText(probe)),
            button("Remove this probe", "M4 4l8 8M12 4l-8 8", () => remove(probe)),
          ),
          probe.output,
        ),
      ),
    );
    if (!ui.probes.length) element.append(hint);
    state.selected = ui.probes.at(-1) ?? null;
  };

  const toggle = (part, point) => {
    const same = ui.probes.find((probe) => probe.part === part && probe.point === point);
    if (same) return remove(same);
    const { name, nodes } = scene.parts[part],
      value = (key) => renderer.value(part, point, key);
    const color = flexmbs.COLORS.find((c) => !ui.probes.some((probe) => probe.color === c)) ?? "#888";
    const probe = {
      part,
      point,
      color,
      name: `${name}, ${nodes ? `node ${nodes[point]}` : `point ${point}`}`,
      output: make("dl"),
    };
    probe.histories = scene.quantities
      .filter(({ key }) => key !== "body" && !isNaN(value(key)))
      .map((q) => ({
        ...q,
        color,
        name: `${probe.name}: ${q.title}`,
        label: probe.name,
        group: "Probes",
        panel: `${q.title} (${q.unit})`,
        values: overRun(() => value(q.key)),
      }));
    ui.probes.push(probe);
    ui.histories.push(...probe.histories);
    list();
    const plotted = ui.time?.phase
      ? []
      : probe.histories.filter(({ key }) => key === "displacement" || key === state.quantity);
    ui.plot(plotted, true);
  };
  const remove = (probe) => {
    ui.probes.splice(ui.probes.indexOf(probe), 1);
    ui.histories = ui.histories.filter((history) => !probe.histories.includes(history));
    list();
    ui.plot([], true);
  };

  const draw = () => {
    for (const { part, point, histories, output } of ui.probes) {
      const { displacement, stress } = scene.parts[part].errors ?? {},
        errors = { displacement, pressure: 0 };
      const rows = [
        [
          "Position",
          `${place(part, point)
            .map((x) => number(x * 1000))
            .join(", ")} mm`,
        ],
      ];
      for (const { key, title, unit, factor } of histories) {
        const error = errors[key] ?? stress,
          about = error ? ` ± ${number(error * factor, 2)}` : "";
        rows.push([title, `${number(renderer.value(part, point, key) * factor)}${about} ${unit}`]);
      }
      output.replaceChildren(...rows.flatMap(([title, value]) => [make("dt", {}, title), make("dd", {}, value)]));
    }
  };
  list();
  return { element, toggle, remove, draw };
};
