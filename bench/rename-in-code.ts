/**
 * Renames one identifier in a code block, so that every block is unique. Keywords stay, so the highlighter does the same work.
 */

const declared = /\b(?:const|let|var|function|class|def|func|fn|interface|type|struct)\s+([A-Za-z_]\w{2,})/;
/** Identifiers of several words are never keywords. */
const ofSeveralWords = /\b(?:[a-z]+[A-Z]\w*|[a-z]+_[a-z]\w*|[A-Z][a-z]+[A-Z]\w*)\b/;
const plain = /\b[a-z]{4,}\b/g;
const ofLanguages = new Set(
  `abstract arguments assert async await body boolean border break button case catch char class color console const
  continue debugger declare default defer delete display div double echo elif else enum except export extends false final
  finally float font form from function global height html http https implements import inherit input instanceof integer
  interface keyof label lambda link long margin match meta module name namespace native never nonlocal none null number
  object option override package padding pass position print private protected public raise range readonly record require
  return script select self short span static string struct style super switch symbol table template then this throw
  throws title transient true type typeof undefined unknown unset using value void volatile when where while width with
  yield`.split(/\s+/),
);

/** `fenced` is a whole block with its fences. */
export function renameInCode(fenced: string, number: number): string {
  const opening = fenced.slice(0, fenced.indexOf('\n') + 1);
  const code = fenced.slice(opening.length);
  const name =
    declared.exec(code)?.[1] ??
    ofSeveralWords.exec(code)?.[0] ??
    code.match(plain)?.find((word) => !ofLanguages.has(word));
  if (name === undefined) return `${opening}${number} ${code}`;
  return opening + code.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `${name}${number}`);
}
