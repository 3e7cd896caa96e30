/**
 * What stands for React in an exported page. Left out is what mounts other roots (`render`, `hydrate`) and what loads
 * code while the page is open (`lazy`).
 */
export {
  Children,
  Component,
  Fragment,
  /** Nothing is loaded later, so there is nothing to wait for. */
  Fragment as Suspense,
  PureComponent,
  StrictMode,
  cloneElement,
  createContext,
  createElement,
  createRef,
  forwardRef,
  isValidElement,
  memo,
  startTransition,
  useCallback,
  useContext,
  useDebugValue,
  useDeferredValue,
  useEffect,
  useId,
  useImperativeHandle,
  useInsertionEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
  useTransition,
} from 'preact/compat';
