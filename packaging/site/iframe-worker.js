// Runs the search of pages that are files, for which browsers start no worker: in a frame instead of one.
if (location.protocol === 'file:') {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.hidden = true;
      this.scope = frame.contentWindow;
      const load = (source) => new Promise((resolve, reject) => {
        const script = this.scope.document.createElement('script');
        script.src = source;
        script.onload = resolve;
        script.onerror = reject;
        this.scope.document.body.append(script);
      });
      this.scope.postMessage = (data) => {
        const event = new MessageEvent('message', {data});
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      this.scope.importScripts = async (...sources) => { for (const source of sources) await load(source); };
      this.ready = load(url);
    }
    postMessage(data) { this.ready.then(() => this.scope.dispatchEvent(new this.scope.MessageEvent('message', {data}))); }
    terminate() { this.scope.frameElement.remove(); }
  };
}
