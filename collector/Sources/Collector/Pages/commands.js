// Commands to a vehicle, and what became of them.
import { ask, device, may } from "./api.js";
import { asText, el, doing, notice, words } from "./dom.js";
import { ago, timeElement } from "./time.js";
import { whenChanged } from "./fleet.js";

/** Argument, its range, and whether it is needed (docs/remote.md). */
const known = {
  locate: { argument: "timeout_s", low: 10, high: 900, standard: 300 },
  sync: {}, status: {},
  track_for: { argument: "seconds", low: 1, high: 31536000, standard: 3600, isNeeded: true },
  pause: { argument: "seconds", low: 1, high: 31536000 },
  resume: {},
  report: { argument: "lines", low: 1, high: 100, standard: 50 },
  restart: {}, quarantine_retry: {},
};

export async function commandsView(name, body) {
  const list = el("ol", { class: "history" });
  const reload = async () => list.replaceChildren(...(await ask(device(name, "/commands"))).map(entry));
  await reload();
  body.replaceChildren(may("operator") ? form(name, reload) : el("span"), list);
  return whenChanged((names) => { if (names?.includes(name)) reload().catch(() => {}); });
}

function form(name, reload) {
  const argument = el("span", {});
  const choice = el("select", { name: "command", "aria-label": "Command", onchange: showArgument },
    Object.keys(known).map((command) => el("option", { value: command }, words(command))));
  function showArgument() {
    const { argument: key, low, high, standard, isNeeded } = known[choice.value];
    argument.replaceChildren(...(key ? [el("input", {
      name: "argument", type: "number", min: low, max: high, value: standard ?? "", required: isNeeded,
      placeholder: words(key), "aria-label": words(key),
    }), ` ${words(key)}`] : []));
  }
  showArgument();
  const send = el("form", {
    class: "tools",
    onsubmit: doing(async () => {
      const command = { command: choice.value };
      const value = send.elements.argument?.value;
      if (value) command[known[choice.value].argument] = Number(value);
      if (send.elements.hours.value) {
        command.expires = new Date(Date.now() + Number(send.elements.hours.value) * 3600000).toISOString();
      }
      await ask(device(name, "/commands"), { method: "POST", body: command });
      notice(`The command goes with the next answer to ${name}.`);
      await reload();
    }),
  }, choice, argument,
  el("label", {}, "not after ", el("input", { name: "hours", type: "number", min: 1, max: 8760, value: 24, "aria-label": "Hours" }), " h"),
  el("button", { class: "main" }, "Send"));
  return send;
}

function entry(found) {
  const { command, created, who, result, why, ended, report } = found;
  const rest = Object.entries(command).filter(([key]) => !["command", "id", "expires"].includes(key)).map(([key, value]) => `${words(key)} ${value}`);
  return el("li", {},
    el("p", {}, el("strong", {}, words(command.command)), ` ${rest.join(", ")} `, el("span", { class: `result ${result}` }, result),
      why ? `: ${why}` : ""),
    el("p", { class: "detail" }, "given ", ago(created), ` by ${who}`, ended ? [", ended ", timeElement(ended)] : ""),
    report ? el("pre", {}, report.map(asText).join("\n")) : null);
}
