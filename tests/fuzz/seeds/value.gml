Creator "x"
graph [
  directed 0
  node [ id 1 label "a&#937;" ]
  node [ id 2 label "b" graphics [ x 1 ] ]
  edge [ source 1 target 2 value 2.5 cost "3" ]
]
