/* What the search dialog says, in the languages that documentation is most often written in. */
(function () {
  'use strict';
  var search = window.docyardSearch;
  if (typeof document === 'undefined') return;
  var names =
    'search|close|results|all|recent|start|keys|more|pages|nothing|help|mean|elsewhere|unread'.split('|');
  /* One line a language, in the order of the names; `#` stands for a number or a word. */
  var lines = {
    en: 'Search|Close|Results|All languages and versions|Recent searches|Start here|↑ ↓ to move, Enter to open, Esc to close|Show more results|Pages found: #|Nothing found for “#”|Try fewer or other words, or check the spelling.|Did you mean|In other languages and versions: #|The search index could not be read.',
    de: 'Suche|Schließen|Ergebnisse|Alle Sprachen und Versionen|Letzte Suchen|Zum Anfangen|↑ ↓ bewegen, Enter öffnet, Esc schließt|Mehr Ergebnisse|Gefundene Seiten: #|Nichts gefunden für „#“|Versuchen Sie weniger oder andere Wörter, oder prüfen Sie die Schreibweise.|Meinten Sie|In anderen Sprachen und Versionen: #|Der Suchindex konnte nicht gelesen werden.',
    es: 'Buscar|Cerrar|Resultados|Todos los idiomas y versiones|Búsquedas recientes|Para empezar|↑ ↓ mover, Intro abrir, Esc cerrar|Más resultados|Páginas encontradas: #|Sin resultados para «#»|Prueba con menos palabras u otras, o revisa la ortografía.|Quizá quisiste decir|En otros idiomas y versiones: #|No se pudo leer el índice de búsqueda.',
    fr: 'Rechercher|Fermer|Résultats|Toutes les langues et versions|Recherches récentes|Pour commencer|↑ ↓ déplacer, Entrée ouvrir, Échap fermer|Plus de résultats|Pages trouvées : #|Aucun résultat pour « # »|Essayez moins de mots ou d’autres, ou vérifiez l’orthographe.|Vouliez-vous dire|Dans d’autres langues et versions : #|L’index de recherche n’a pas pu être lu.',
    it: 'Cerca|Chiudi|Risultati|Tutte le lingue e versioni|Ricerche recenti|Per iniziare|↑ ↓ sposta, Invio apri, Esc chiudi|Altri risultati|Pagine trovate: #|Nessun risultato per «#»|Prova con meno parole o altre, o controlla l’ortografia.|Forse cercavi|In altre lingue e versioni: #|Impossibile leggere l’indice di ricerca.',
    pt: 'Pesquisar|Fechar|Resultados|Todos os idiomas e versões|Pesquisas recentes|Comece aqui|↑ ↓ mover, Enter abrir, Esc fechar|Mais resultados|Páginas encontradas: #|Nada encontrado para “#”|Tente menos palavras ou outras, ou verifique a ortografia.|Você quis dizer|Em outros idiomas e versões: #|Não foi possível ler o índice de pesquisa.',
    ru: 'Поиск|Закрыть|Результаты|Все языки и версии|Недавние запросы|С чего начать|↑ ↓ выбор, Enter открыть, Esc закрыть|Ещё результаты|Найдено страниц: #|По запросу «#» ничего не найдено|Попробуйте другие слова или проверьте написание.|Возможно, вы имели в виду|В других языках и версиях: #|Не удалось прочитать индекс поиска.',
    zh: '搜索|关闭|结果|所有语言和版本|最近搜索|从这里开始|↑ ↓ 移动，Enter 打开，Esc 关闭|更多结果|找到页面：#|没有找到“#”|请尝试更少或其他的词，或检查拼写。|您是不是要找|其他语言和版本：#|无法读取搜索索引。',
    'zh-hant':
      '搜尋|關閉|結果|所有語言和版本|最近搜尋|從這裡開始|↑ ↓ 移動，Enter 開啟，Esc 關閉|更多結果|找到頁面：#|找不到「#」|請嘗試更少或其他的詞，或檢查拼寫。|您是不是要找|其他語言和版本：#|無法讀取搜尋索引。',
    ja: '検索|閉じる|結果|すべての言語とバージョン|最近の検索|ここから始める|↑ ↓ で移動、Enter で開く、Esc で閉じる|さらに表示|見つかったページ: #|「#」は見つかりませんでした|語を減らすか、別の語や綴りをお試しください。|もしかして|他の言語とバージョン: #|検索インデックスを読み込めませんでした。',
    ko: '검색|닫기|결과|모든 언어와 버전|최근 검색|여기서 시작|↑ ↓ 이동, Enter 열기, Esc 닫기|결과 더 보기|찾은 페이지: #|“#”에 대한 결과가 없습니다|더 적거나 다른 단어를 쓰거나 철자를 확인하세요.|혹시 이것을 찾으셨나요|다른 언어와 버전: #|검색 색인을 읽을 수 없습니다.',
    ar: 'بحث|إغلاق|النتائج|كل اللغات والإصدارات|عمليات البحث الأخيرة|ابدأ من هنا|↑ ↓ للتنقل، Enter للفتح، Esc للإغلاق|المزيد من النتائج|الصفحات: #|لا نتائج لـ «#»|جرّب كلمات أقل أو أخرى، أو تحقق من الإملاء.|هل تقصد|في لغات وإصدارات أخرى: #|تعذّرت قراءة فهرس البحث.',
    he: 'חיפוש|סגירה|תוצאות|כל השפות והגרסאות|חיפושים אחרונים|להתחלה|↑ ↓ לתנועה, Enter לפתיחה, Esc לסגירה|תוצאות נוספות|עמודים שנמצאו: #|לא נמצא דבר עבור ”#“|נסו פחות מילים או אחרות, או בדקו את הכתיב.|האם התכוונתם|בשפות ובגרסאות אחרות: #|לא ניתן לקרוא את אינדקס החיפוש.',
  };
  var code = document.documentElement.lang.toLowerCase();
  var key = /^zh-(?:hant|tw|hk)/.test(code) ? 'zh-hant' : code.split('-')[0];
  var texts = (lines[key] || lines.en).split('|');

  search.say = function (name, value) {
    return texts[names.indexOf(name)].replace('#', function () {
      return String(value);
    });
  };
})();
