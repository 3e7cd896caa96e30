export const D = () => <p>{`${globalThis.pwned}`}</p>; //
