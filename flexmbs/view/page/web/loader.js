// Unpacks the viewer (base 85 of the alphabet of RFC 1924, deflated) and starts it.
globalThis.flexmbsViewer ??= {
  async load() {
    const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    const value = new Map([...digits].map((digit, index) => [digit, index]));
    const packed = document.querySelector(".flexmbs-viewer");
    const text = packed.textContent.replace(/\s/g, "");
    const words = new DataView(new ArrayBuffer((text.length / 5) * 4));
    for (let at = 0; at < text.length; at += 5) {
      let word = 0;
      for (let k = 0; k < 5; k++) word = word * 85 + value.get(text[at + k]);
      words.setUint32((at / 5) * 4, word);
    }
    const bytes = new Uint8Array(words.buffer, 0, Number(packed.dataset.bytes));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const [style, script] = JSON.parse(await new Response(stream).text());
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
