// Asks the collector, and knows who is logged in.

export const me = { name: null, role: null, csrf: null, accounts: false, map: {} };

const ranks = { viewer: 0, operator: 1, admin: 2 };
export const may = (role) => me.role !== null && ranks[me.role] >= ranks[role];

let lost = () => {};
/** Calls `work` when the collector no longer knows who was let in. */
export const whenLost = (work) => { lost = work; };

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** The JSON of an answer; throws what the collector says of what it refuses. */
export async function ask(path, { method = "GET", body } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (me.csrf) headers["Godwit-CSRF"] = me.csrf;
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Refused(0, "The collector does not answer. Is the network there?");
  }
  const text = await answer.text();
  let value = null;
  try { value = text ? JSON.parse(text) : null; } catch { /* no JSON: a proxy has answered */ }
  if (answer.status === 401 && me.role !== null) {
    remember({});
    lost();
  }
  if (!answer.ok) throw new Refused(answer.status, value?.error ?? `The answer was ${answer.status}.`);
  return value;
}

export const device = (name, more = "") => `/v1/devices/${encodeURIComponent(name)}${more}`;

function remember(session) {
  Object.assign(me, { name: null, role: null, csrf: null, map: {}, can_simulate: false, keep_days: null }, session);
  return me;
}

export const session = async () => remember(await ask("/v1/session"));
export const logIn = async (name, password) =>
  remember(await ask("/v1/session", { method: "POST", body: { name, password } }));
export async function logOut() {
  await ask("/v1/session", { method: "DELETE" });
  remember({});
}
