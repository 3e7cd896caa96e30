export const B = () => <p>{typeof pwned}</p>; /*
