// Points on a canvas that can be moved, zoomed and selected: 100,000 of them, drawn at once.

const FINEST = 65535;

export class MapCanvas {
  constructor(canvas, { moved, selected, opened }) {
    Object.assign(this, { canvas, moved, selected, opened });
    this.xy = new Uint16Array(0);
    this.codes = new Uint8Array(0);
    this.colours = ["#888"];
    this.shown = null;
    this.marks = new Set();
    this.middle = [0.5, 0.5];
    this.zoom = 1;
    this.selecting = false;
    this.pointers = new Map();
    this.waiting = false;
    for (const name of ["pointerdown", "pointermove", "pointerup", "pointercancel", "wheel", "keydown", "dblclick"])
      canvas.addEventListener(name, event => this[name](event), { passive: false });
    this.watch = new ResizeObserver(() => this.draw());
    this.watch.observe(canvas);
  }

  get side() { return Math.min(this.canvas.clientWidth, this.canvas.clientHeight) * 0.94; }

  // From a point of the map to a place on the canvas, and back.
  place(x, y) {
    const scale = this.side * this.zoom;
    return [this.canvas.clientWidth / 2 + (x - this.middle[0]) * scale, this.canvas.clientHeight / 2 - (y - this.middle[1]) * scale];
  }

  point(left, top) {
    const scale = this.side * this.zoom;
    return [this.middle[0] + (left - this.canvas.clientWidth / 2) / scale, this.middle[1] - (top - this.canvas.clientHeight / 2) / scale];
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const { canvas, xy, codes } = this;
    const ratio = window.devicePixelRatio || 1, wide = canvas.clientWidth, high = canvas.clientHeight;
    if (!wide) return;
    if (canvas.width !== Math.round(wide * ratio) || canvas.height !== Math.round(high * ratio)) {
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
    }
    const paper = canvas.getContext("2d");
    paper.setTransform(ratio, 0, 0, ratio, 0, 0);
    paper.clearRect(0, 0, wide, high);
    const size = Math.min(7, Math.max(1.6, 60 / Math.sqrt(codes.length + 1) * Math.sqrt(this.zoom) * 3));
    const scale = this.side * this.zoom / FINEST;
    const left = wide / 2 - this.middle[0] * this.side * this.zoom - size / 2;
    const top = high / 2 + this.middle[1] * this.side * this.zoom - size / 2;
    paper.globalAlpha = codes.length > 5000 ? 0.55 : 0.75;
    for (let colour = 0; colour < this.colours.length; colour++) {
      if (this.shown !== null && this.shown !== colour) continue;
      paper.fillStyle = this.colours[colour];
      for (let i = 0; i < codes.length; i++) {
        if (codes[i] !== colour) continue;
        const x = left + xy[2 * i] * scale, y = top - xy[2 * i + 1] * scale;
        if (x > -size && y > -size && x < wide && y < high) paper.fillRect(x, y, size, size);
      }
    }
    paper.globalAlpha = 1;
    paper.strokeStyle = getComputedStyle(canvas).color;
    paper.lineWidth = 2;
    for (const i of this.marks) {
      paper.beginPath();
      paper.arc(left + size / 2 + xy[2 * i] * scale, top + size / 2 - xy[2 * i + 1] * scale, size + 3, 0, 7);
      paper.stroke();
    }
  }

  inside([x1, y1], [x2, y2]) {
    const [low, high] = [Math.min(x1, x2) * FINEST, Math.max(x1, x2) * FINEST];
    const [bottom, top] = [Math.min(y1, y2) * FINEST, Math.max(y1, y2) * FINEST];
    const found = [];
    for (let i = 0; i < this.codes.length; i++) {
      const x = this.xy[2 * i], y = this.xy[2 * i + 1];
      if (x >= low && x <= high && y >= bottom && y <= top && (this.shown === null || this.codes[i] === this.shown)) found.push(i);
    }
    return found;
  }

  nearest(left, top, within = 14) {
    const [x, y] = this.point(left, top);
    let best = -1, least = (within / (this.side * this.zoom)) ** 2;
    for (let i = 0; i < this.codes.length; i++) {
      if (this.shown !== null && this.codes[i] !== this.shown) continue;
      const far = (this.xy[2 * i] / FINEST - x) ** 2 + (this.xy[2 * i + 1] / FINEST - y) ** 2;
      if (far < least) { least = far; best = i; }
    }
    return best;
  }

  zoomAt(left, top, factor) {
    const before = this.point(left, top);
    this.zoom = Math.min(4000, Math.max(0.5, this.zoom * factor));
    const after = this.point(left, top);
    this.middle = [this.middle[0] + before[0] - after[0], this.middle[1] + before[1] - after[1]];
    this.draw();
    this.moved();
  }

  zoomBy(factor) { this.zoomAt(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2, factor); }

  move(right, down) {
    const scale = this.side * this.zoom;
    this.middle = [this.middle[0] - right / scale, this.middle[1] + down / scale];
    this.draw();
    this.moved();
  }

  reset() { this.middle = [0.5, 0.5]; this.zoom = 1; this.draw(); this.moved(); }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  pointerdown(event) {
    try { this.canvas.setPointerCapture(event.pointerId); } catch (error) { /* the pointer is gone already */ }
    const here = this.at(event);
    this.pointers.set(event.pointerId, here);
    this.began = { here, last: here, still: true, frame: this.selecting || event.shiftKey };
  }

  pointermove(event) {
    if (!this.pointers.has(event.pointerId) || !this.began) return;
    const here = this.at(event), before = this.pointers.get(event.pointerId);
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const gap = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      this.zoomAt(other[0], other[1], gap(here, other) / (gap(before, other) || 1));
      this.began.still = false;
    } else if (Math.hypot(here[0] - this.began.here[0], here[1] - this.began.here[1]) > 4 || !this.began.still) {
      this.began.still = false;
      if (this.began.frame) this.frame(this.began.here, here);
      else this.move(here[0] - before[0], here[1] - before[1]);
    }
    this.pointers.set(event.pointerId, here);
  }

  pointerup(event) {
    const here = this.at(event), began = this.began;
    this.pointers.delete(event.pointerId);
    if (!began || this.pointers.size) return;
    this.began = null;
    this.frame(null);
    if (began.still) {
      const found = this.nearest(...here);
      if (found >= 0) this.opened(found);
    } else if (began.frame) this.selected(this.inside(this.point(...began.here), this.point(...here)), this.point(...began.here), this.point(...here));
  }

  pointercancel(event) { this.pointers.delete(event.pointerId); this.began = null; this.frame(null); }

  wheel(event) { event.preventDefault(); this.zoomAt(...this.at(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016))); }

  dblclick(event) { this.zoomAt(...this.at(event), 2); }

  keydown(event) {
    const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
    if (steps[event.key]) this.move(...steps[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoomBy(1.4);
    else if (event.key === "-") this.zoomBy(1 / 1.4);
    else if (event.key === "0") this.reset();
    else if (event.key === "Enter") this.selected(this.inside(this.point(0, 0), this.point(this.canvas.clientWidth, this.canvas.clientHeight)));
    else return;
    event.preventDefault();
  }

  frame(from, to) {
    if (!this.box) { this.box = document.createElement("div"); this.box.className = "frame"; this.canvas.parentNode.append(this.box); }
    this.box.hidden = !from;
    if (!from) return;
    Object.assign(this.box.style, {
      left: `${Math.min(from[0], to[0])}px`, top: `${Math.min(from[1], to[1])}px`,
      width: `${Math.abs(from[0] - to[0])}px`, height: `${Math.abs(from[1] - to[1])}px`,
    });
  }
}
