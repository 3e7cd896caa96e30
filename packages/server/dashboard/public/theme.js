// Runs before the first paint, so that a chosen scheme does not flash the other one.
try {
  const scheme = localStorage.getItem('docyard-scheme');
  if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.scheme = scheme;
} catch {
  // Without storage the system's choice holds.
}
