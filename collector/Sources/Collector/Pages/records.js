// What is there of a vehicle, how long it stays, and its deletion on request.
import { ask, device, may, me } from "./api.js";
import { el, doing, notice } from "./dom.js";
import { ago, dayOf, timeElement } from "./time.js";

const longest_days = 36500;
const inWords = (days) => (days ? `${days} ${days === 1 ? "day" : "days"}` : "for ever");

export function recordFacts({ records, first_time: first, last_time: last, deleted, last_deleted: lastDeleted, keep_days: days, conflicts }) {
  return [
    el("dt", {}, "Records"), el("dd", {}, String(records), first ? [", from ", timeElement(first), " to ", timeElement(last)] : ""),
    el("dt", {}, "Kept"), el("dd", {}, days ? inWords(days) : `${inWords(me.keep_days)}, as all that have no span of their own`),
    deleted ? [el("dt", {}, "Deleted"), el("dd", {}, `${deleted}, last `, ago(lastDeleted))] : [],
    conflicts ? [el("dt", {}, "Refused"), el("dd", {}, `${conflicts} with the identity of other records: do two devices share this name and a copied queue?`)] : [],
  ];
}

/** For admins. - Parameter reload: shows the vehicle anew. */
export function recordForms(found, reload) {
  if (!may("admin")) return null;
  // By mouse or finger, what is to be typed is next; by the keys, the first field.
  const onclick = ({ target, detail }) => {
    if (detail > 0) setTimeout(() => target.closest(".records").querySelector(".delete input[name=name]").focus({ preventScroll: true }));
  };
  return el("details", { class: "records" }, el("summary", { onclick }, "Keep and delete"), keepForm(found, reload), deleteForm(found, reload));
}

function keepForm({ device: name, keep_days: days }, reload) {
  const form = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      const text = form.elements.days.value;
      const wanted = text === "" ? null : Number(text);
      const [before, after] = [days ?? me.keep_days ?? Infinity, wanted ?? me.keep_days ?? Infinity];
      const question = `Keep records of ${name} for ${inWords(after)}? Older ones are deleted within the hour, for good.`;
      if (after < before && !confirm(question)) return;
      await ask(device(name, "/retention"), { method: "PUT", body: { keep_days: wanted } });
      await reload();
      notice(`Records of ${name} are kept ${after === Infinity ? "for ever" : `for ${inWords(after)}`}.`);
    }),
  },
  el("label", {}, "Keep for ", el("input", {
    name: "days", type: "number", min: 1, max: longest_days, step: 1, value: days ?? "",
    placeholder: me.keep_days ?? "ever", "aria-describedby": "keepHint",
  }), " days"),
  el("button", { class: "main" }, "Set"));
  return el("div", {}, form, el("p", { class: "detail", id: "keepHint" }, `Empty: as all that have no span of their own, ${inWords(me.keep_days)}.`));
}

function deleteForm({ device: name }, reload) {
  const form = el("form", {
    class: "delete",
    onsubmit: doing(async () => {
      const { before, name: typed } = form.elements;
      if (typed.value !== name) throw new Error(`To delete the history of ${name}, type its name as it stands here.`);
      notice("Deleting…");
      const query = before.value ? `?before=${encodeURIComponent(dayOf(before.value).from.toISOString())}` : "";
      const { deleted } = await ask(device(name, `/history${query}`), { method: "DELETE" });
      await reload();
      notice(`${deleted} ${deleted === 1 ? "record" : "records"} of ${name} ${deleted === 1 ? "is" : "are"} deleted.`);
    }),
  },
  el("p", {}, "Delete the history at once and for good: positions, events, trips and gaps; without a date also the last status and the results of commands. Name, tokens, settings and groups stay. What the vehicle still holds comes with its next request."),
  el("label", {}, "Only what is older than (empty: all)", el("input", { name: "before", type: "date" })),
  el("label", {}, `To confirm, type ${name}`, el("input", {
    name: "name", type: "text", required: true, autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  })),
  el("button", { class: "danger" }, "Delete history"));
  return form;
}
