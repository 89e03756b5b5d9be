// Unpacks the viewer (base 64, deflated) and starts it.
globalThis.flexmbsViewer ??= {
  async inflated(element) {
    const packed = Uint8Array.from(atob(element.textContent), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
  },
  async load() {
    const [style, script] = JSON.parse(await (await this.inflated(document.querySelector(".flexmbs-viewer"))).text());
    const add = (kind, content) => {
      document.head.append(Object.assign(document.createElement(kind), { textContent: content }));
    };
    add("style", style);
    add("script", script);
  },
  async start() {
    const scenes = document.querySelectorAll(".flexmbs-scene");
    try {
      await (this.loaded ??= this.load());
      for (const scene of scenes) flexmbs.start(scene);
    } catch (error) {
      const words = document.createElement("p");
      words.textContent = `This scene needs a browser of 2023 or later (${error}).`;
      for (const scene of scenes) scene.append(words.cloneNode(true));
    }
  },
};
