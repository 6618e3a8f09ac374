// stored returns a text from localStorage or sessionStorage, or null if there is none or
// the viewer's settings forbid storage.
export function stored(storage, key) {
  try {
    return globalThis[storage].getItem(key);
  } catch {
    return null;
  }
}
