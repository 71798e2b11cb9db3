(() => {
  var kind = document.getElementById("kind"),
    text = document.getElementById("text"),
    shown = document.getElementById("shown"),
    table = document.getElementById("rows");
  if (!table) return;
  var rows = Array.prototype.slice.call(table.tBodies[0].rows);
  var words = rows.map((row) => row.textContent.toLowerCase());
  function apply() {
    var want = kind.value,
      find = text.value.trim().toLowerCase(),
      count = 0;
    rows.forEach((row, i) => {
      var on = (!want || row.dataset.kind === want) && (!find || words[i].indexOf(find) >= 0);
      row.hidden = !on;
      if (on) count++;
    });
    shown.textContent = `${count} of ${rows.length}`;
  }
  function cell(value) {
    value = value || "";
    if (/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(value) && !/^-\d+(\.\d+)?$/.test(value)) value = `'${value}`;
    return /[",;\t\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value;
  }
  function csv() {
    var lines = ["side,category,reference,receipt,phone,amount,date,line,id,reason"];
    rows.forEach((row) => {
      if (row.hidden) return;
      ["here", "there"].forEach((side, i) => {
        Array.prototype.forEach.call(row.cells[2 + i].querySelectorAll(".record"), (record) => {
          var d = record.dataset;
          lines.push([side, row.dataset.kind, d.reference, d.receipt, d.phone, d.amount, d.date, d.line, d.id, row.cells[4].dataset.why].map(cell).join(","));
        });
      });
    });
    return `\ufeff${lines.join("\r\n")}\r\n`;
  }
  document.getElementById("csv").addEventListener("click", () => {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = "differences.csv";
    link.click();
    URL.revokeObjectURL(link.href);
  });
  document.getElementById("print").addEventListener("click", () => {
    window.print();
  });
  kind.addEventListener("change", apply);
  text.addEventListener("input", apply);
  document.querySelector(".filter").addEventListener("submit", (e) => {
    e.preventDefault();
  });
})();
