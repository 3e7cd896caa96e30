export const A = () => <p>x</p>;
}); globalThis.pwned = 'PWNED'; (function () {
