// What GraphiQL has no properties for: the colours of its editors, lines that wrap, and a run without
// a click.
import { pick, useGraphiQL, useGraphiQLActions, useMonaco } from '@graphiql/react';
import { useEffect } from 'react';

// colour returns a colour of header.css in a theme.
const colour = (theme, name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).match(/#\w+/g)[theme === 'dark' ? 1 : 0];

// TOKENS has the colour of each kind of token.
const TOKENS = {
  comment: 'soft',
  keyword: 'burn',
  'key.identifier.gql': 'ink',
  'argument.identifier.gql': 'link',
  'type.identifier.gql': 'mint',
  annotation: 'burn',
  string: 'mint',
  'string.key.json': 'ink',
  'string.value.json': 'mint',
  'keyword.json': 'burn',
  number: 'link',
  delimiter: 'soft',
};

// themeOf returns a theme in place of GraphiQL's.
function themeOf(theme) {
  const all = (name, ...keys) => Object.fromEntries(keys.map((key) => [key, colour(theme, name)]));
  return {
    base: theme === 'dark' ? 'vs-dark' : 'vs',
    inherit: true,
    rules: Object.entries(TOKENS).map(([token, name]) => ({ token, foreground: colour(theme, name) })),
    colors: {
      'editor.background': '#00000000',
      'scrollbar.shadow': '#00000000',
      ...all('ink', 'editor.foreground', 'editorLineNumber.activeForeground', 'quickInputList.focusForeground', 'editorSuggestWidget.selectedForeground', 'menu.selectionForeground'),
      ...all('soft', 'editorLineNumber.foreground', ...[1, 2, 3, 4, 5, 6].map((depth) => `editorBracketHighlight.foreground${depth}`)),
      ...all('line', 'editorWidget.border', 'editorIndentGuide.background1'),
      ...all('surface', 'editorWidget.background', 'editorHoverWidget.background', 'editorSuggestWidget.background', 'quickInput.background', 'menu.background'),
      ...all('raised', 'input.background', 'list.hoverBackground', 'toolbar.hoverBackground', 'editorSuggestWidget.selectedBackground', 'quickInputList.focusBackground', 'menu.selectionBackground'),
      ...all('mint', 'focusBorder', 'list.highlightForeground', 'list.focusHighlightForeground', 'pickerGroup.foreground', 'editorWidget.resizeBorder'),
      ...all('link', 'textLink.foreground', 'textLink.activeForeground', 'editorLink.activeForeground'),
    },
  };
}

// Editors dresses the editors, and runs the query runs once, or nothing if it is null or the visitor
// has opened another tab before the editors were ready. It shows nothing itself. actions gets those of
// GraphiQL.
export function Editors({ runs, actions }) {
  const monaco = useMonaco((state) => state.monaco);
  const { queryEditor, variableEditor, responseEditor } = useGraphiQL(pick('queryEditor', 'variableEditor', 'responseEditor'));
  const ready = Boolean(queryEditor && variableEditor && responseEditor);
  actions.current = useGraphiQLActions();
  useEffect(() => {
    monaco?.editor.defineTheme('graphiql-LIGHT', themeOf('light'));
    monaco?.editor.defineTheme('graphiql-DARK', themeOf('dark'));
  }, [monaco]);
  useEffect(() => queryEditor?.updateOptions({ wordWrap: 'on' }), [queryEditor]);
  useEffect(() => {
    if (ready && queryEditor.getValue() === runs) actions.current.run();
  }, [ready]);
}
