throw new Error('<script>PWNED()</script>'.repeat(4e5));
export const B = () => <p>x</p>;
