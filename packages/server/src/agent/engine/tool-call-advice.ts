/** What an operator can change when a model answers with text instead of tool calls. */
export function toolCallAdvice(): string {
  return (
    'The model server probably does not support tool calls for this model. Start vLLM with --enable-auto-tool-choice and ' +
    '--tool-call-parser, SGLang with --tool-call-parser, and llama.cpp with --jinja; in Ollama and LM Studio, choose a ' +
    'model that supports tools.'
  );
}
