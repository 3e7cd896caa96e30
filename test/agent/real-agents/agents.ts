/** Published agents at the versions that are tested, and how each is installed, started and instructed. */
import { join } from 'node:path';
import type { ScriptedCall } from '../../fakes/model-server.ts';

export interface RealAgent {
  name: string;
  package: string;
  version: string;
  format: 'Chat completions' | 'Messages' | 'Responses' | 'Gemini';
  provider: 'openai' | 'anthropic' | 'gemini';
  /** The command below the folder of the installation, with its arguments. */
  command: string;
  /** `AGENT_ENV`, as the manual shows it. */
  environment: string;
  /** The calls of a model that replaces text in a page with one of the offered tools. */
  edit(change: Replacement, tools: readonly string[]): ScriptedCall[];
  /** The calls of the Docyard tool `validate`, for an agent that does not offer it to the model directly. */
  validate?: readonly ScriptedCall[];
}

export interface Replacement {
  path: string;
  old: string;
  new: string;
}

const inSite = (path: string): string => join('/site', path);

const opencodeConfig = {
  model: 'docyard/{model}',
  small_model: 'docyard/{model}',
  provider: {
    docyard: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: '{modelUrl}/v1', apiKey: 'any' },
      models: { '{model}': {} },
    },
  },
};

const codexConfig = {
  model: '{model}',
  model_provider: 'docyard',
  model_providers: {
    docyard: { name: 'Docyard', base_url: '{modelUrl}/v1', env_key: 'OPENAI_API_KEY', wire_api: 'responses' },
  },
};

export const realAgents: readonly RealAgent[] = [
  {
    name: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    format: 'Chat completions',
    provider: 'openai',
    command: `node_modules/opencode-linux-${process.arch}/bin/opencode acp`,
    environment: `OPENCODE_CONFIG_CONTENT=${escaped(opencodeConfig)},OPENCODE_DISABLE_MODELS_FETCH=1`,
    edit: (change) => [
      { name: 'read', input: { filePath: inSite(change.path) } },
      {
        name: 'edit',
        input: { filePath: inSite(change.path), oldString: change.old, newString: change.new },
      },
    ],
  },
  {
    name: 'Claude Code',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.100.0',
    format: 'Messages',
    provider: 'anthropic',
    command: 'node_modules/.bin/claude-agent-acp',
    environment: 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1,ENABLE_TOOL_SEARCH=false',
    edit: (change) => [
      { name: 'Read', input: { file_path: inSite(change.path) } },
      {
        name: 'Edit',
        input: { file_path: inSite(change.path), old_string: change.old, new_string: change.new },
      },
    ],
  },
  {
    name: 'Qwen Code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    format: 'Chat completions',
    provider: 'openai',
    command: 'node_modules/.bin/qwen --acp --yolo',
    environment: 'QWEN_DEFAULT_AUTH_TYPE=openai',
    validate: [
      { name: 'tool_search', input: { query: 'select:mcp__docyard__validate' } },
      { name: 'tool_call', input: { name: 'mcp__docyard__validate', arguments: {} } },
    ],
    edit: (change) => [
      { name: 'read_file', input: { file_path: inSite(change.path) } },
      {
        name: 'edit',
        input: { file_path: inSite(change.path), old_string: change.old, new_string: change.new },
      },
    ],
  },
  {
    name: 'Codex',
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    format: 'Responses',
    provider: 'openai',
    command: 'node_modules/.bin/codex-acp',
    environment: `CODEX_CONFIG=${escaped(codexConfig)},MODEL_PROVIDER=docyard,INITIAL_AGENT_MODE=agent-full-access,NO_BROWSER=1`,
    edit(change, tools) {
      const command = `sed -i 's#${change.old}#${change.new}#' ${inSite(change.path)}`;
      return tools.includes('exec_command')
        ? [{ name: 'exec_command', input: { cmd: command } }]
        : [{ name: 'shell_command', input: { command } }];
    },
  },
  {
    name: 'Gemini CLI',
    package: '@google/gemini-cli',
    version: '0.61.0',
    format: 'Gemini',
    provider: 'gemini',
    command: 'node_modules/.bin/gemini --acp',
    environment: 'GEMINI_CLI_TRUST_WORKSPACE=true,GEMINI_CLI_NO_RELAUNCH=true',
    edit: (change) => [
      { name: 'read_file', input: { file_path: inSite(change.path) } },
      {
        name: 'replace',
        input: {
          file_path: inSite(change.path),
          instruction: 'Correct the text.',
          old_string: change.old,
          new_string: change.new,
        },
      },
    ],
  },
];

/** A comma separates variables in `AGENT_ENV`. */
function escaped(config: object): string {
  return JSON.stringify(config).replaceAll(',', '%2C');
}
