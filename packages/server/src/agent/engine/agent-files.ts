/**
 * Files that configure or instruct agents. They come from branches without a review, so external agents do not get them; the
 * instructions of the project are part of the task.
 */
const names = new Set(
  [
    '.claude .codex .cursor .gemini .github .husky .idea .opencode .vscode .zed',
    '.aider.conf.yml .clinerules .cursorrules .env .envrc .gitmodules .mcp.json .npmrc .windsurfrules opencode.json',
    'AGENTS.md CLAUDE.md GEMINI.md',
  ].flatMap((line) => line.split(' ')),
);

export function isAgentFile(path: string): boolean {
  return path.split('/').some((name) => names.has(name));
}
