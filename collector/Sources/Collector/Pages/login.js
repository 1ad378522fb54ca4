// Logging in, and a new password.
import { ask, logIn, me } from "./api.js";
import { $, el, doing, notice } from "./dom.js";

const field = (name, label, type, complete) =>
  el("label", {}, label, el("input", { name, type, autocomplete: complete, required: true }));

/** - Parameter done: what follows. */
export function loginView(done) {
  const form = el("form", {
    class: "card",
    onsubmit: doing(async () => {
      await logIn(form.elements.name.value, form.elements.password.value);
      await done();
    }),
  },
  el("h2", {}, "Log in"),
  field("name", "Name", "text", "username"),
  field("password", "Password", "password", "current-password"),
  el("button", { class: "main" }, "Log in"));
  $("side").replaceChildren(form);
  form.elements.name.focus();
}

export function passwordView() {
  const form = el("form", {
    class: "card",
    onsubmit: doing(async () => {
      const { old, password, again } = form.elements;
      if (password.value !== again.value) throw new Error("The two new passwords differ.");
      const answer = await ask("/v1/session/password", {
        method: "PUT", body: { old: old.value, password: password.value },
      });
      me.csrf = answer.csrf;
      form.reset();
      notice("The password is changed; other sessions of yours have ended.");
    }),
  },
  el("h2", {}, "Change password"),
  field("old", "Old password", "password", "current-password"),
  field("password", "New password, 12 characters at least", "password", "new-password"),
  field("again", "New password once more", "password", "new-password"),
  el("button", { class: "main" }, "Change"));
  $("side").replaceChildren(form);
}
