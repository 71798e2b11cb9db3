/** Style of the reconciliation page: light and dark, narrow screens, and paper. */
export const reportStyle = `
:root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--line:#d5dae0;--soft:#f4f6f8;--good:#146c2e;--bad:#b3261e;--wait:#8a5a00;--quiet:#5b6570}
@media(prefers-color-scheme:dark){:root{--fg:#e6e9ec;--bg:#14171a;--line:#3a4149;--soft:#1e2328;--good:#6fd58a;--bad:#ff9d94;--wait:#f2c14e;--quiet:#9aa5b1}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,sans-serif}
main{max-width:1100px;margin:0 auto;padding:24px 16px}h1{margin:0 0 4px;font-size:26px}h2{margin:28px 0 8px;font-size:18px}
.inputs{margin:0;color:var(--quiet);overflow-wrap:anywhere}.verdict{font-size:22px;font-weight:600;margin:12px 0}.good{color:var(--good)}.bad{color:var(--bad)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:6px 8px;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
thead th{background:var(--soft);position:sticky;top:0}tbody th{font-weight:500}.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}small{color:var(--quiet)}
.dot{display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:6px;background:var(--bad)}rect{fill:var(--bad)}
.dot.matched{background:var(--good)}rect.matched{fill:var(--good)}.dot.missed_callback,.dot.open_there{background:var(--wait)}rect.missed_callback,rect.open_there{fill:var(--wait)}
.dot.ignored{background:var(--quiet)}rect.ignored{fill:var(--quiet)}svg{max-width:100%;height:auto}svg text{fill:var(--fg);font:13px system-ui,sans-serif}
.totals{max-width:34em}.perhaps{margin-top:4px;color:var(--quiet)}tr[hidden]{display:none!important}.command{margin:4px 0;overflow-wrap:anywhere}
.rows{table-layout:fixed}.rows th:nth-child(1){width:11em}.rows th:nth-child(2){width:16%}.rows th:nth-child(3),.rows th:nth-child(4){width:20%}.rows small{display:block}
.filter{display:flex;flex-wrap:wrap;gap:12px;align-items:center;margin:0 0 8px}select,input,button{font:inherit;color:inherit;background:var(--bg);border:1px solid var(--quiet);border-radius:4px;padding:5px 8px}
:focus-visible{outline:2px solid #1a73e8;outline-offset:2px}
@media(max-width:640px){table,tbody,tr,td,tbody th{display:block;border:0;padding:1px 0}thead{position:absolute;left:-9999px}tr{border-bottom:1px solid var(--line);padding:8px 0}.n{text-align:left}tbody th,.rows td:nth-child(1){font-weight:600}
.figures td:nth-child(2)::before{content:"Count"}.figures td:nth-child(3)::before,.rows td:nth-child(3)::before{content:"Here"}.figures td:nth-child(4)::before,.rows td:nth-child(4)::before{content:"There"}.figures td:nth-child(5)::before{content:"Difference"}
.figures td.n,.rows td:nth-child(3),.rows td:nth-child(4){display:flex;gap:8px}.figures td.n::before,.rows td:nth-child(3)::before,.rows td:nth-child(4)::before{flex:0 0 5.5em;color:var(--quiet)}.figures td.n small{align-self:center}}
@media print{:root{--fg:#000;--bg:#fff;--line:#999;--soft:#fff;--quiet:#444;--good:#146c2e;--bad:#b3261e;--wait:#8a5a00}main{max-width:none;padding:0}.filter{display:none}thead{display:table-header-group}thead th{position:static}tr,svg{break-inside:avoid}body{font-size:11px}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}
`;

/** Filters rows by kind and by text, prints the page and saves the rows shown as CSV; without it the page shows everything. */
export const reportScript = String.raw`
(function(){var kind=document.getElementById("kind"),text=document.getElementById("text"),shown=document.getElementById("shown"),table=document.getElementById("rows");
if(!table)return;var rows=Array.prototype.slice.call(table.tBodies[0].rows);var words=rows.map(function(row){return row.textContent.toLowerCase()});
function apply(){var want=kind.value,find=text.value.trim().toLowerCase(),count=0;rows.forEach(function(row,i){var on=(!want||row.dataset.kind===want)&&(!find||words[i].indexOf(find)>=0);row.hidden=!on;if(on)count++});shown.textContent=count+" of "+rows.length}
function cell(value){value=value||"";if(/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value)&&!/^-\d+(\.\d+)?$/.test(value))value="'"+value;return /[",;\t\r\n]/.test(value)?'"'+value.replace(/"/g,'""')+'"':value}
function csv(){var lines=["side,category,reference,receipt,phone,amount,date,line,id,reason"];rows.forEach(function(row){if(row.hidden)return;["here","there"].forEach(function(side,i){Array.prototype.forEach.call(row.cells[2+i].querySelectorAll(".record"),function(record){var d=record.dataset;
lines.push([side,row.dataset.kind,d.reference,d.receipt,d.phone,d.amount,d.date,d.line,d.id,row.cells[4].dataset.why].map(cell).join(","))})})});return "\ufeff"+lines.join("\r\n")+"\r\n"}
document.getElementById("csv").addEventListener("click",function(){var link=document.createElement("a");link.href=URL.createObjectURL(new Blob([csv()],{type:"text/csv"}));link.download="differences.csv";link.click();URL.revokeObjectURL(link.href)});
document.getElementById("print").addEventListener("click",function(){window.print()});
kind.addEventListener("change",apply);text.addEventListener("input",apply);document.querySelector(".filter").addEventListener("submit",function(e){e.preventDefault()})})();
`;
