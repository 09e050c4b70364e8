// Fits a classifier of WEKA on folds that were drawn elsewhere, and prints what it predicts for the rows held out.
//
//   java -cp weka.jar Folds.java rows.arff folds.txt weka.classifiers.trees.M5P -M 4
//
// Each line of folds.txt is a fold, with one character for each row: 1 train, 2 held out, 0 neither. Each line printed
// has the predictions of a fold, parted by blanks: numbers, or the position of the class.

import java.io.BufferedReader;
import java.io.FileReader;
import java.util.Arrays;
import weka.classifiers.AbstractClassifier;
import weka.classifiers.Classifier;
import weka.core.Instances;

public class Folds {
    public static void main(String[] arguments) throws Exception {
        Instances rows = new Instances(new FileReader(arguments[0]));
        rows.setClassIndex(rows.numAttributes() - 1);
        String[] options = Arrays.copyOfRange(arguments, 3, arguments.length);
        Classifier model = AbstractClassifier.forName(arguments[2], options);
        BufferedReader folds = new BufferedReader(new FileReader(arguments[1]));
        for (String fold = folds.readLine(); fold != null; fold = folds.readLine()) {
            Instances train = new Instances(rows, 0);
            for (int i = 0; i < fold.length(); i++) {
                if (fold.charAt(i) == '1') train.add(rows.instance(i));
            }
            Classifier fitted = AbstractClassifier.makeCopy(model);
            fitted.buildClassifier(train);
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < fold.length(); i++) {
                if (fold.charAt(i) == '2') line.append(fitted.classifyInstance(rows.instance(i))).append(' ');
            }
            System.out.println(line);
        }
    }
}
