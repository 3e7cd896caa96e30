/** The code of findings about API examples, which become notes of the proposal. */
export const exampleFinding = 'api_example';
