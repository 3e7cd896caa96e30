let count = 0;
while (true) count += 1;

export const Never = () => <p>{count}</p>;
