import { enterKey } from './api.js';

// KeyForm asks for the API key of a server that admits only requests with one.
export function KeyForm({ reason }) {
  const submit = (event) => {
    event.preventDefault();
    const key = new FormData(event.target).get('key').trim();
    if (key) enterKey(key);
  };
  return (
    <section aria-labelledby="key-title">
      <h1 id="key-title">API key</h1>
      <p role="alert">{reason}</p>
      <form class="key-form" onSubmit={submit}>
        <label>
          <span>API key</span>
          <input name="key" type="password" autocomplete="off" required />
        </label>
        <button>Use this key</button>
      </form>
      <p class="soft">It is kept until this tab is closed, and sent only to this server.</p>
    </section>
  );
}
