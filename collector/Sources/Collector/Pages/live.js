// The line on which new positions come. A browser makes one anew that broke, and gives up one that was refused: by a
// proxy while the collector begins anew, since too many pages are open, or since the session has ended.
import { $ } from "./dom.js";
import { clock } from "./time.js";

/** The pause before the next try doubles; half of it is chance, so that not all pages come at once. */
const pauses_ms = { first: 2000, most: 60000 };
/** The collector says something each 15 s. A line that says nothing for so long leads nowhere. */
const silence_ms = 45000;
/** The collector ends each line now and then, and the browser has it back by then: nobody need be told. */
const patience_ms = 5000;

/**
 * - Parameters:
 *   - load: asks for all that is there, since nobody knows what was missed.
 *   - arrived: is given each vehicle of which something is new.
 * - Returns: `begin()`, which does nothing while there is a line; `anew()` for one that is in doubt; `end()`.
 */
export function liveLine(load, arrived) {
  let source = null;
  let waits = null;
  let silence = null;
  let tries = 0;

  function open() {
    source = new EventSource("/v1/events");
    watch();
    source.onopen = () => {
      tries = 0;
      heard();
      isThere();
      load().catch(() => {});
    };
    source.addEventListener("beat", heard);
    source.onmessage = (event) => {
      heard();
      arrived(JSON.parse(event.data));
    };
    source.onerror = () => {
      isCut();
      if (source.readyState !== EventSource.CLOSED) return watch();
      clearTimeout(silence);
      again();
    };
  }

  function heard() {
    heardAt = Date.now();
    watch();
  }

  /** Also of a line that is being made: to somebody who takes it and never answers. */
  function watch() {
    clearTimeout(silence);
    silence = setTimeout(anew, silence_ms);
  }

  function anew() {
    if (!source) return;
    source.close();
    clearTimeout(waits);
    clearTimeout(silence);
    isCut();
    open();
  }

  async function again() {
    const refused = source;
    // The line does not say why it was refused. This does, and shows what there is in the meantime.
    await load().catch(() => {});
    if (source !== refused) return;
    const pause = Math.min(pauses_ms.first * 2 ** tries, pauses_ms.most);
    tries += 1;
    waits = setTimeout(open, pause * (0.5 + Math.random() / 2));
  }

  function end() {
    source?.close();
    source = null;
    clearTimeout(waits);
    clearTimeout(silence);
    heardAt = null;
    isThere();
  }

  return {
    begin() { if (!source) open(); },
    anew,
    end,
  };
}

// MARK: The head says so

let doubt = null;
/** The collector's last sign. */
let heardAt = null;

function isCut() {
  const since = clock(heardAt ?? Date.now());
  doubt ??= setTimeout(() => { $("live").textContent = `Not live since ${since}`; }, patience_ms);
}

function isThere() {
  clearTimeout(doubt);
  doubt = null;
  $("live").textContent = "";
}
