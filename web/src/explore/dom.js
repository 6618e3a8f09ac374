const SVG = 'http://www.w3.org/2000/svg';

// h creates an HTML element. A child is a node, text (which never becomes markup), or nothing.
// An attribute onX with a function adds a listener for the event X.
export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);

// svg creates an SVG element in the same way.
export const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') element.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}
