/** `{{name}}` in a page stands for a value of the configuration; a name that is not defined stays as it is written. */
export function substituteVariables(body: string, variables: Record<string, string>): string {
  if (!body.includes('{{') || Object.keys(variables).length === 0) return body;
  return body.replaceAll(/\{\{\s*([\w.-]+)\s*\}\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? plainText(variables[name] ?? '') : whole,
  );
}

/** Values are text: tags are dropped and nothing in them can open an expression. */
function plainText(value: string): string {
  return value
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('{', '&#123;')
    .replaceAll('<', '&lt;')
    .replaceAll('\n', ' ');
}
