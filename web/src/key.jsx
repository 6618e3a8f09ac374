// The visitor's API key, one for all pages: it is asked for once, and kept until the browser tab is
// closed. Each view compiles this form for its own framework.
import './key.css';

import { stored } from './explore/storage.js';

// KEY is the storage key of the API key.
const KEY = 'mintburn:key';

// storedKey returns the API key that the visitor entered, or null.
export const storedKey = () => stored('sessionStorage', KEY);

// storeKey keeps an API key until the browser tab is closed.
export const storeKey = (key) => sessionStorage.setItem(KEY, key);

// withKey returns the headers of a request with a key, if there is one, unless they have another.
export function withKey(key, headers) {
  const own = Object.keys(headers ?? {}).some((name) => /^(authorization|x-api-key)$/i.test(name));
  return key && !own ? { Authorization: `Bearer ${key}`, ...headers } : { ...headers };
}

// KeyForm asks for the API key of a server that admits only requests with one. refused is the key that
// the server did not accept, if there is one.
export function KeyForm({ refused, onKey }) {
  const submit = (event) => {
    event.preventDefault();
    const key = new FormData(event.target).get('key').trim();
    if (key) onKey(key);
  };
  return (
    <section aria-labelledby="key-title">
      <h1 id="key-title">API key</h1>
      <p role="alert">{refused ? 'The server does not accept this key.' : 'This server needs an API key.'}</p>
      <form className="key-form" onSubmit={submit}>
        <label>
          <span>API key</span>
          <input name="key" type="password" autoComplete="off" required />
        </label>
        <button>Use this key</button>
      </form>
      <p className="soft">It is kept until this tab is closed, and sent only to this server.</p>
    </section>
  );
}
