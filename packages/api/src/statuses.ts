/** The words that both the schemas and a command line need. It loads nothing: all schemas together take 0.1 s. */
export const exportStatuses = ['queued', 'running', 'completed', 'failed'] as const;
