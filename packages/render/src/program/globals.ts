/**
 * The globals of customer code: the parameters of every factory, in this order. The realm, the browser and
 * the compiler share the list.
 */
export const programGlobals: readonly string[] = [
  'React',
  'ReactDOM',
  'Fragment',
  'useState',
  'useEffect',
  'useRef',
  'useMemo',
  'useCallback',
  'useReducer',
  'useContext',
  'useLayoutEffect',
  'useInsertionEffect',
  'useId',
  'useImperativeHandle',
  'useSyncExternalStore',
  'useTransition',
  'useDeferredValue',
  'useDebugValue',
  'createContext',
  'memo',
  'forwardRef',
  // The components of the format by name: `const { Card } = MintlifyComponents`.
  'MintlifyComponents',
];
