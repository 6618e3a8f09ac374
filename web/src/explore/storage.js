// stored returns a text that the browser keeps in localStorage or sessionStorage, or null,
// also where the viewer's settings forbid to keep any.
export function stored(storage, key) {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}
