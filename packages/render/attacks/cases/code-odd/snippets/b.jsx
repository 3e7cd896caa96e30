<!-- a comment that hides the rest
var \u0070rocess = 1;
label: for (const x of [1]) continue label;
--> and its end
export const B = () => <p>{new.target}{import.meta.url}{typeof proc\u0065ss}</p>;
