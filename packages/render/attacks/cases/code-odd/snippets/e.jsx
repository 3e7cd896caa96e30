with (globalThis) { var y = process; }
export { y as "__proto__" };
export * from '/snippets/e.jsx';
export * as default from 'fs';
export const E = () => <p>{y}</p>;
