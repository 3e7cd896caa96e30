/** The tool that a call means: models use the names that other agents have for the same tool. */
import type { ToolCall } from '../contract.ts';

const otherNames: Readonly<Record<string, string>> = {
  read_file: 'read view cat open open_file view_file get_file read_page',
  edit_file: 'edit str_replace replace replace_in_file search_replace find_replace update_file apply_edit',
  multi_edit: 'multi_edit_file edit_multiple',
  write_file: 'write create create_file write_to_file new_file save_file create_page write_page',
  list_files: 'ls list list_dir list_directory list_folder glob glob_files find_files file_search',
  search: 'grep grep_search rg ripgrep search_text search_files search_file_content find_text text_search',
  find_pages: 'find_page search_pages search_docs codebase_search semantic_search find_sections',
  delete_file: 'delete remove remove_file rm delete_page',
  move_page: 'move rename move_file rename_file rename_page mv',
  outline: 'navigation get_outline show_outline site_outline',
  page_info: 'get_page_info page_details',
  validate: 'check lint build validate_site check_site',
  render_page: 'render preview preview_page',
  diff: 'git_diff show_diff changes',
  finish: 'done complete submit end attempt_completion task_complete complete_task finish_task final_answer',
};

/** One tool of other agents, whose `command` says what it does. */
const editorNames = new Set(['strreplaceeditor', 'strreplacebasededittool', 'texteditor', 'editor']);
const editorCommands: Readonly<Record<string, string>> = {
  view: 'read_file',
  create: 'write_file',
  str_replace: 'edit_file',
};

const nameByOther = new Map(
  Object.entries(otherNames).flatMap(([name, others]) =>
    [name, ...others.split(' ')].map((other): [string, string] => [bare(other), name]),
  ),
);

/** Undefined if none of the tools is meant. */
export function meantTool<Named extends { name: string }>(
  tools: readonly Named[],
  { name, input }: ToolCall,
): Named | undefined {
  const hasEdits = typeof input === 'object' && input !== null && 'edits' in input;
  const called = (wanted: string | undefined): Named | undefined =>
    tools.find((tool) => tool.name === (wanted === 'edit_file' && hasEdits ? 'multi_edit' : wanted));
  const exact = called(name);
  if (exact) return exact;
  // A namespace before the name, or the channel of the answer after it.
  const [written = ''] = name.split('<|', 1);
  const word = bare(written.split(/[.:/]|__/).findLast((part) => bare(part) !== '') ?? '');
  if (!editorNames.has(word)) return called(nameByOther.get(word));
  const command =
    typeof input === 'object' && input !== null && 'command' in input ? input.command : undefined;
  return typeof command === 'string' ? called(editorCommands[command]) : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, '');
}
