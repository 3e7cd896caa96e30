throw { get name() { for (;;) {} }, get message() { for (;;) {} } };
export const A = () => <p>x</p>;
